# The table of ncu's options.
rangefinder_embed(
  rangefinder_capture EmbeddedNcuOptions ${CMAKE_SOURCE_DIR}/src/capture
  ncu_options.tsv)
