# Tests of the Python package, by Debian's python3 where it is: its pandas and
# notebook are used, and tests that lack them say so.
find_program(RANGEFINDER_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT RANGEFINDER_PYTHON)
  set(RANGEFINDER_PYTHON python3)
endif()
foreach(part IN ITEMS package notebook)
  add_test(NAME python.${part}
           COMMAND ${RANGEFINDER_PYTHON} ${CMAKE_SOURCE_DIR}/python/tests/${part}.py)
  set_tests_properties(
    python.${part} PROPERTIES LABELS cli SKIP_RETURN_CODE 77 TIMEOUT 1800
    ENVIRONMENT "RANGEFINDER=$<TARGET_FILE:rangefinder>;RANGEFINDER_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
endforeach()
