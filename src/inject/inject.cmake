# librangefinder_inject.so: three exported functions, glibc and nothing else
# (a program may bring another libstdc++ than ours), never unloaded. Without
# exceptions: a thread that is cancelled leaves our functions undisturbed.
#
# rangefinder_injection(TARGET FLAG...) builds it with more compiler flags; the
# tests use that for sanitizers, which the library itself must not carry: it is
# loaded into programs that were not built for them.
function(rangefinder_injection target)
  add_library(${target} SHARED ${inject_sources})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  rangefinder_version(${target})
  target_compile_options(
    ${target} PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden
                      -fno-semantic-interposition -fno-exceptions ${ARGN})
  target_link_options(
    ${target} PRIVATE
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/inject/exports.map
    -Wl,--exclude-libs,ALL -Wl,-z,nodelete -Wl,-z,now ${ARGN})
  target_link_libraries(
    ${target} PRIVATE rangefinder_warnings ${CMAKE_DL_LIBS} Threads::Threads)
  set_target_properties(
    ${target} PROPERTIES LINK_DEPENDS
                         ${CMAKE_SOURCE_DIR}/src/inject/exports.map)
endfunction()

rangefinder_injection(rangefinder_inject -fno-sanitize=all -O2)
target_link_options(
  rangefinder_inject PRIVATE -static-libstdc++ -static-libgcc)

if(BUILD_TESTING AND EXISTS ${CMAKE_SOURCE_DIR}/tests/inject/tests.cmake)
  include(${CMAKE_SOURCE_DIR}/tests/inject/tests.cmake)
endif()

add_executable(rangefinder_trace_summary tools/trace_summary.cc)
target_link_libraries(
  rangefinder_trace_summary PRIVATE rangefinder_ingest rangefinder_region
                                    lib::fmt rangefinder_warnings)
if(RANGEFINDER_PORTABLE)
  target_link_options(
    rangefinder_trace_summary PRIVATE -static-libstdc++ -static-libgcc)
endif()
