# The shipped configuration: all of conf/.
file(GLOB_RECURSE conf_files CONFIGURE_DEPENDS
     RELATIVE ${CMAKE_SOURCE_DIR}/conf ${CMAKE_SOURCE_DIR}/conf/*.yaml)
rangefinder_embed(rangefinder_config EmbeddedConf ${CMAKE_SOURCE_DIR}/conf
                  ${conf_files})
