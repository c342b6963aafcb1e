# What most files include, compiled once for many targets.
#
# rangefinder_precompile(TARGET GROUP HEADER...): TARGET's sources are compiled
# after HEADERs of the system, which the first target of a GROUP compiles for
# all of it, so its targets share their flags. Sources go on including what they
# use: the presets of the sanitizers do without this, and scripts/lint.sh
# compiles each header alone. GCC's alone, since ccache needs other flags for
# clang's.
set(precompiled_headers
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem>
    <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream>
    <string> <string_view> <system_error> <tuple> <unordered_map> <utility>
    <variant> <vector> <fmt/format.h>)

function(rangefinder_precompile target group)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  get_property(owner GLOBAL PROPERTY precompiled_${group})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(
      ${target} PRIVATE ${precompiled_headers} ${ARGN})
    set_property(GLOBAL PROPERTY precompiled_${group} ${target})
  endif()
  # Keeps the line by which ccache finds the compiled header.
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endfunction()

# rangefinder_test(TARGET): what all test programs are built with. What they
# test is optimised; they themselves are compiled once and run once.
function(rangefinder_test target)
  rangefinder_precompile(${target} tests <gmock/gmock.h> <gtest/gtest.h>)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()
