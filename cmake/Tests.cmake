# One gtest program per module, made of the *_test.cc beside its sources, and
# the scripts of tests/cli and tests/gpu.
find_package(GTest REQUIRED)
include(GoogleTest)

foreach(module IN LISTS modules)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS src/${module}/*_test.cc)
  if(NOT tests)
    continue()
  endif()
  add_executable(${module}_tests ${tests})
  target_include_directories(${module}_tests PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(
    ${module}_tests PRIVATE RANGEFINDER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(
    ${module}_tests PRIVATE rangefinder_${module} ${libraries_${module}}
                          rangefinder_warnings GTest::gmock GTest::gtest_main)
  rangefinder_test(${module}_tests -O0)
  # Tests may use modules above their own.
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/${module}/tests.cmake)
    include(${CMAKE_SOURCE_DIR}/src/${module}/tests.cmake)
  endif()
  gtest_discover_tests(${module}_tests DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS unit)
endforeach()

add_test(NAME layers COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/check_layers.py)
set_tests_properties(layers PROPERTIES LABELS unit)
add_test(NAME type_names
         COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/check_type_names.py)
set_tests_properties(type_names PROPERTIES LABELS unit)
add_test(NAME functions
         COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/check_functions.py)
set_tests_properties(functions PROPERTIES LABELS unit)
set(hardened $<TARGET_FILE:rangefinder>)
if(TARGET rangefinder_inject)
  list(APPEND hardened $<TARGET_FILE:rangefinder_inject>)
endif()
add_test(NAME hardening
         COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/check_hardening.py ${hardened})
set_tests_properties(hardening PROPERTIES LABELS unit)
# Only the portable build links what a release may: other builds are refused.
add_test(NAME released_files
         COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/check_hardening.py
                 --released 2.31 $<TARGET_FILE:rangefinder>)
set_tests_properties(released_files PROPERTIES LABELS unit)
if(NOT RANGEFINDER_PORTABLE)
  set_tests_properties(
    released_files PROPERTIES PASS_REGULAR_EXPRESSION
    "needs glibc 2.3[2-9] for .*: newer than 2.31")
endif()
# The commands, outputs, keys and links of README.md and docs/.
add_test(NAME docs COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/check_docs.py)
set_tests_properties(
  docs PROPERTIES LABELS cli TIMEOUT 600
  ENVIRONMENT "RANGEFINDER=$<TARGET_FILE:rangefinder>;RANGEFINDER_BUILD=${CMAKE_BINARY_DIR}")

foreach(label IN ITEMS cli gpu)
  file(GLOB scripts CONFIGURE_DEPENDS tests/${label}/*.sh)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    if(name STREQUAL common OR name STREQUAL trace_all)
      continue()
    endif()
    add_test(NAME ${label}.${name} COMMAND bash ${script})
    set_tests_properties(
      ${label}.${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT 600
      ENVIRONMENT "RANGEFINDER=$<TARGET_FILE:rangefinder>;RANGEFINDER_BUILD=${CMAKE_BINARY_DIR}")
  endforeach()
endforeach()

# Each promise of the specification, as a command with a check.
add_test(NAME cli.promises
         COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/promises/promises.py)
set_tests_properties(
  cli.promises PROPERTIES LABELS cli TIMEOUT 600
  ENVIRONMENT "RANGEFINDER=$<TARGET_FILE:rangefinder>;RANGEFINDER_BUILD=${CMAKE_BINARY_DIR}")

if(EXISTS ${CMAKE_SOURCE_DIR}/tests/tests.cmake)
  include(${CMAKE_SOURCE_DIR}/tests/tests.cmake)
endif()
