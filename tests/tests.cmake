# Tests of several modules together: tests/captures on recorded reports.
file(GLOB capture_tests CONFIGURE_DEPENDS tests/captures/*_test.cc)
if(capture_tests)
  add_executable(captures_tests ${capture_tests})
  target_include_directories(captures_tests PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(
    captures_tests PRIVATE RANGEFINDER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(
    captures_tests PRIVATE rangefinder_app lib::fmt rangefinder_warnings
                           GTest::gmock GTest::gtest_main)
  rangefinder_test(captures_tests -O0)
  gtest_discover_tests(captures_tests DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS unit)
endif()
# Tests of whole reports, from the bytes of a capture to the bytes of a document.
# Their common code is in tests/support.

file(GLOB support CONFIGURE_DEPENDS tests/support/*.cc)
add_library(test_support STATIC ${support})
target_include_directories(test_support PUBLIC ${CMAKE_SOURCE_DIR})
target_compile_definitions(
  test_support PUBLIC RANGEFINDER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(
  test_support PUBLIC rangefinder_app lib::fmt lib::json lib::protozero
                      lib::sqlite lib::zlib lib::zstd GTest::gmock
               PRIVATE rangefinder_warnings)
rangefinder_precompile(test_support modules)

add_executable(trace_from_text tests/support/programs/trace_from_text.cc)
target_link_libraries(trace_from_text PRIVATE test_support rangefinder_warnings)
add_executable(many_summaries tests/support/programs/many_summaries.cc)
target_include_directories(many_summaries PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(
  many_summaries PRIVATE rangefinder_summary lib::boost lib::fmt
                         rangefinder_warnings)

file(GLOB tests CONFIGURE_DEPENDS tests/report/*_test.cc)
add_executable(report_tests ${tests})
target_link_libraries(
  report_tests PRIVATE test_support fuzz_support rangefinder_warnings
                       GTest::gtest_main)
rangefinder_test(report_tests -O1)
gtest_discover_tests(report_tests DISCOVERY_MODE PRE_TEST
                     PROPERTIES LABELS golden TIMEOUT 600)

include(tests/harness/tests.cmake)
include(tests/python.cmake)
include(tests/release/tests.cmake)
# The fuzzers' corpora and mutators; what they share is cmake/Fuzzers.cmake's.
file(GLOB tests CONFIGURE_DEPENDS tests/fuzz/*_test.cc)
add_executable(fuzz_tests ${tests})
target_link_libraries(
  fuzz_tests PRIVATE test_support fuzz_support rangefinder_warnings
                     GTest::gtest_main)
rangefinder_test(fuzz_tests -O0)
gtest_discover_tests(fuzz_tests DISCOVERY_MODE PRE_TEST
                     PROPERTIES LABELS unit TIMEOUT 600)
# A program of its own, since it counts all memory.
file(GLOB tests CONFIGURE_DEPENDS tests/scaling/*.cc)
add_executable(scaling_tests ${tests})
target_link_libraries(
  scaling_tests PRIVATE test_support lib::sqlite rangefinder_warnings
                        GTest::gtest_main)
rangefinder_test(scaling_tests -O1)
set_target_properties(scaling_tests PROPERTIES UNITY_BUILD OFF)  # its sources have equal names
gtest_discover_tests(scaling_tests DISCOVERY_MODE PRE_TEST
                     PROPERTIES LABELS unit TIMEOUT 600 RUN_SERIAL TRUE)
