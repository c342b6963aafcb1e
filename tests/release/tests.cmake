# Tests of the tools that scripts/release.sh makes files with.
add_test(NAME release_tools
         COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/release/release_tools_test.py)
set_tests_properties(release_tools PROPERTIES LABELS unit)
