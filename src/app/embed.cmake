# The bundled workload, as source: src/app/bundled_program.h.
rangefinder_embed(rangefinder_app EmbeddedExamples
                  ${CMAKE_SOURCE_DIR}/examples shallow_resnet.cu example.h)
