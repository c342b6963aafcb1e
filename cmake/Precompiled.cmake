# Compiles the headers that most files include once for many targets.
#
# Sources still include every header that they use: clang's builds have no
# precompiled headers, and scripts/lint.sh compiles each header alone. Only GCC
# uses them, since ccache needs other flags for clang's.
set(precompiled_headers
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem>
    <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream>
    <string> <string_view> <system_error> <tuple> <unordered_map> <utility>
    <variant> <vector> [["base/compiled_fmt.h"]])

# rangefinder_precompile(TARGET GROUP [FLAG...]) compiles TARGET's sources with
# FLAGs and with the headers of rangefinder_precompiled_GROUP, which all targets
# of the group share. The group has no definitions: GCC refuses headers that were
# compiled with a macro that a target lacks.
function(rangefinder_precompile target group)
  target_compile_options(${target} PRIVATE ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  # Below 1 GiB the compiler collects no garbage: most sources need less.
  target_compile_options(
    ${target} PRIVATE "SHELL:--param ggc-min-heapsize=1048576")
  set(owner rangefinder_precompiled_${group})
  if(NOT TARGET ${owner})
    set(empty ${CMAKE_BINARY_DIR}/precompiled/${group}.cc)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(${owner} OBJECT ${empty})
    target_include_directories(${owner} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${owner} PRIVATE lib::fmt rangefinder_warnings)
    target_precompile_headers(${owner} PRIVATE ${precompiled_headers})
    # ccache finds the compiled header by a line that this option keeps.
    target_compile_options(${owner} PRIVATE -fpch-preprocess)
    if(group MATCHES "^tests")
      target_precompile_headers(
        ${owner} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
      target_link_libraries(${owner} PRIVATE GTest::gmock GTest::gtest)
      # The options with which CMake compiles programs.
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(
        ${owner} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE} ${ARGN})
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endfunction()

# rangefinder_test(TARGET OPTIMISATION) sets the options of a test program. The
# libraries under test are optimised in full. The test sources are compiled once
# and run once, so -O0 is best, or -O1 if they parse megabytes.
function(rangefinder_test target optimisation)
  rangefinder_precompile(
    ${target} tests${optimisation} $<$<CONFIG:Release>:${optimisation}>)
endfunction()
