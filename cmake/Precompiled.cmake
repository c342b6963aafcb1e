# What most files include, compiled once for many targets.
#
# Sources go on including what they use: clang's builds do without this, and
# scripts/lint.sh compiles each header alone. GCC's alone, since ccache needs
# other flags for clang's.
set(precompiled_headers
    <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem>
    <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream>
    <string> <string_view> <system_error> <tuple> <unordered_map> <utility>
    <variant> <vector> [["base/compiled_fmt.h"]])

# rangefinder_precompile(TARGET GROUP [FLAG...]): TARGET's sources are compiled
# with FLAGs, after the headers that rangefinder_precompiled_GROUP has compiled
# for all who have them. It has no definitions of its own: a macro that a target
# lacks would keep GCC from taking what was compiled with it.
function(rangefinder_precompile target group)
  target_compile_options(${target} PRIVATE ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set(owner rangefinder_precompiled_${group})
  if(NOT TARGET ${owner})
    set(empty ${CMAKE_BINARY_DIR}/precompiled/${group}.cc)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(${owner} OBJECT ${empty})
    target_include_directories(${owner} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${owner} PRIVATE lib::fmt rangefinder_warnings)
    target_precompile_headers(${owner} PRIVATE ${precompiled_headers})
    # Keeps the line by which ccache finds the compiled header.
    target_compile_options(${owner} PRIVATE -fpch-preprocess)
    if(group MATCHES "^tests")
      target_precompile_headers(
        ${owner} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
      target_link_libraries(${owner} PRIVATE GTest::gmock GTest::gtest)
      # As CMake compiles programs.
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(
        ${owner} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE} ${ARGN})
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endfunction()

# rangefinder_test(TARGET OPTIMISATION): what test programs are built with. What
# they test is optimised in full; they themselves are compiled once and run
# once, so -O0 is best, or -O1 where they parse megabytes.
function(rangefinder_test target optimisation)
  rangefinder_precompile(
    ${target} tests${optimisation} $<$<CONFIG:Release>:${optimisation}>)
endfunction()
