# CUPTI's headers, where they are installed, and a stand-in for driver and CUPTI
# in one library.
find_path(CUPTI_INCLUDE_DIR cupti.h PATHS /usr/local/cuda/include
          PATH_SUFFIXES extras/CUPTI/include)
if(CUPTI_INCLUDE_DIR AND EXISTS ${CUPTI_INCLUDE_DIR}/cupti_range_profiler.h)
  target_include_directories(counters_tests SYSTEM PRIVATE ${CUPTI_INCLUDE_DIR}
                             /usr/local/cuda/include)
  target_compile_definitions(
    counters_tests PRIVATE HAVE_CUPTI_PROFILER_HEADERS=1)
endif()

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
