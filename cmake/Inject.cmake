# librangefinder_inject.so, the injection library. It is loaded into foreign
# processes, which may bring another libstdc++ than ours: so it needs glibc and
# nothing else, exports four functions and is never unloaded. It is built without
# exceptions, so that a cancelled thread leaves its functions undisturbed. CUPTI
# is opened at run time; the sources of the module `cupti` are compiled into it.
file(GLOB_RECURSE inject_sources CONFIGURE_DEPENDS src/inject/*.cc
     src/cupti/*.cc)
list(FILTER inject_sources EXCLUDE REGEX "_(test|bench)\\.cc$")

# rangefinder_injection(TARGET FLAG...) builds the library with more compiler
# flags. The tests use it for sanitizers, which the library itself must not have:
# it is loaded into programs that were built without them.
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
    ${target} PROPERTIES UNITY_BUILD OFF
                         LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/inject/exports.map)
endfunction()

rangefinder_injection(rangefinder_inject -fno-sanitize=all -O2)
target_link_options(
  rangefinder_inject PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,defs)

if(BUILD_TESTING)
  include(${CMAKE_SOURCE_DIR}/tests/inject/tests.cmake)
endif()

add_executable(rangefinder_trace_summary tools/trace_summary.cc)
target_link_libraries(
  rangefinder_trace_summary PRIVATE rangefinder_ingest rangefinder_region
                                    lib::fmt rangefinder_warnings)

# What scripts/release.sh traces in empty roots: a program, and a stand-in for
# CUPTI.
if(RANGEFINDER_PORTABLE)
  set(programs ${CMAKE_SOURCE_DIR}/tests/inject/programs)
  add_executable(trial_program EXCLUDE_FROM_ALL ${programs}/ranges.cc)
  add_library(trial_cupti MODULE EXCLUDE_FROM_ALL
              ${programs}/fake_cupti.cc ${programs}/fake_sampling.cc)
  foreach(target trial_program trial_cupti)
    target_include_directories(
      ${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  endforeach()
endif()
