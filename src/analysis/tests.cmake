# Tests begin with traces drawn as text.
target_sources(analysis_tests
               PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/trace_builder.cc)
target_link_libraries(analysis_tests PRIVATE lib::zstd)
