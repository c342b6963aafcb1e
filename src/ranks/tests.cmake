# Tests begin with traces drawn as text, which ingest reads.
target_sources(ranks_tests
               PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/trace_builder.cc)
target_link_libraries(ranks_tests PRIVATE rangefinder_ingest lib::zstd)
