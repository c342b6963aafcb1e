# A stand-in for driver and CUPTI in one library.
add_library(counters_fake_device MODULE tests/counters/programs/fake_device.cc)
target_include_directories(counters_fake_device PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(counters_fake_device PRIVATE -fno-sanitize=all)
target_link_options(counters_fake_device PRIVATE -fno-sanitize=all
                    -Wl,-soname,libcuda.so.1)
target_link_libraries(counters_fake_device PRIVATE rangefinder_warnings)
target_compile_definitions(
  counters_tests
  PRIVATE COUNTERS_FAKE_DEVICE="$<TARGET_FILE:counters_fake_device>")
add_dependencies(counters_tests counters_fake_device)
