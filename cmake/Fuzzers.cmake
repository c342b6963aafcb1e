# tests/fuzz/fuzz_*.cc: libFuzzer programs; the whole tree is instrumented by
# the `fuzz` preset. Their corpora are replayed by ordinary tests.
file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.cc)
foreach(fuzzer IN LISTS fuzzers)
  get_filename_component(name ${fuzzer} NAME_WE)
  add_executable(${name} ${fuzzer})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE rangefinder_app rangefinder_warnings)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
