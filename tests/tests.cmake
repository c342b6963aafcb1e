# Tests of several rooms together: tests/captures on recorded reports.
file(GLOB capture_tests CONFIGURE_DEPENDS tests/captures/*_test.cc)
if(capture_tests)
  add_executable(captures_tests ${capture_tests})
  target_include_directories(captures_tests PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(
    captures_tests PRIVATE RANGEFINDER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(
    captures_tests PRIVATE rangefinder_ingest rangefinder_rollup lib::fmt
                           rangefinder_warnings GTest::gmock GTest::gtest_main)
  gtest_discover_tests(captures_tests DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS unit)
endif()
