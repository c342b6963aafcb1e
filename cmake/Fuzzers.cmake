# tests/fuzz/fuzz_*.cc: libFuzzer programs; the `fuzz` preset instruments the whole
# tree. They run in the root of a checkout, of any machine. Ordinary tests replay
# the corpora with the programs' common library.
file(GLOB fuzz_support CONFIGURE_DEPENDS tests/fuzz/*.cc)
list(FILTER fuzz_support EXCLUDE REGEX "(/fuzz_[a-z]*|_test)\\.cc$")
add_library(fuzz_support STATIC ${fuzz_support})
target_include_directories(fuzz_support PUBLIC ${CMAKE_SOURCE_DIR})
target_compile_definitions(
  fuzz_support
  PRIVATE RANGEFINDER_SOURCE_DIR="$<IF:$<BOOL:${RANGEFINDER_FUZZERS}>,.,${CMAKE_SOURCE_DIR}>")
target_link_libraries(
  fuzz_support PUBLIC rangefinder_app lib::boost lib::json
               PRIVATE lib::fmt lib::protozero lib::re2 lib::sqlite rangefinder_warnings)

if(RANGEFINDER_FUZZERS)
  file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.cc)
  foreach(fuzzer IN LISTS fuzzers)
    get_filename_component(name ${fuzzer} NAME_WE)
    add_executable(${name} ${fuzzer})
    target_link_libraries(${name} PRIVATE rangefinder_warnings)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer -static-libstdc++)
    if(name STREQUAL "fuzz_config" OR name STREQUAL "fuzz_nvtx")
      # They need few modules and are built without the others.
      target_sources(${name} PRIVATE tests/fuzz/growth.cc)
      target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    else()
      target_link_libraries(${name} PRIVATE fuzz_support)
    endif()
  endforeach()
  target_link_libraries(fuzz_config PRIVATE rangefinder_config)
  target_sources(fuzz_nvtx PRIVATE src/analysis/nvtx_filter.cc)
  target_link_libraries(fuzz_nvtx PRIVATE rangefinder_plan lib::json lib::fmt)
endif()
