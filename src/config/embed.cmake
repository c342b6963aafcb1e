# The shipped configuration.
file(GLOB_RECURSE conf_files CONFIGURE_DEPENDS
     RELATIVE ${CMAKE_SOURCE_DIR}/conf
     ${CMAKE_SOURCE_DIR}/conf/profiling/*.yaml
     ${CMAKE_SOURCE_DIR}/conf/model/*.yaml)
rangefinder_embed(rangefinder_config EmbeddedConf ${CMAKE_SOURCE_DIR}/conf
                  config.yaml ${conf_files})
