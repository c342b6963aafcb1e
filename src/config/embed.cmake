# The shipped configuration: all of conf/.
file(GLOB_RECURSE conf_files CONFIGURE_DEPENDS
     RELATIVE ${CMAKE_SOURCE_DIR}/conf ${CMAKE_SOURCE_DIR}/conf/*.yaml)
rangefinder_embed(rangefinder_config EmbeddedConf ${CMAKE_SOURCE_DIR}/conf
                  ${conf_files})

# Hydra's own configuration.
file(GLOB_RECURSE hydra_files CONFIGURE_DEPENDS
     RELATIVE ${CMAKE_SOURCE_DIR}/src/config ${CMAKE_SOURCE_DIR}/src/config/hydra/*.yaml)
rangefinder_embed(rangefinder_config EmbeddedHydra ${CMAKE_SOURCE_DIR}/src/config
                  ${hydra_files})
