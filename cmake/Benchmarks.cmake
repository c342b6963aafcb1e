# bench/*_bench.cc: Google Benchmark programs that print ratios.
find_package(benchmark REQUIRED)
file(GLOB benches CONFIGURE_DEPENDS bench/*_bench.cc)
foreach(bench IN LISTS benches)
  get_filename_component(name ${bench} NAME_WE)
  add_executable(${name} ${bench})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(
    ${name} PRIVATE RANGEFINDER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(
    ${name} PRIVATE rangefinder_app rangefinder_estimate lib::json lib::protozero lib::sqlite
                    lib::fmt rangefinder_warnings benchmark::benchmark)
  if(TARGET test_support)
    target_link_libraries(${name} PRIVATE test_support)
  endif()
endforeach()
