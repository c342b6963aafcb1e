# The table of ncu's options.
rangefinder_embed(
  rangefinder_capture EmbeddedNcuOptions ${CMAKE_SOURCE_DIR}/src/capture
  ncu_options.tsv)

# The bundled workload, as source (target.h).
rangefinder_embed(rangefinder_capture EmbeddedExamples
                  ${CMAKE_SOURCE_DIR}/examples shallow_resnet.cu example.h)

# The error messages of ncu (ncu_messages.h).
rangefinder_embed(
  rangefinder_capture EmbeddedNcuMessages ${CMAKE_SOURCE_DIR}/src/capture
  ncu_messages.json)
