# Foreign programs under the injection library: a program that does what its
# command line says, and a script that draws command lines and compares the runs
# with and without the library.

# rangefinder_foreign(SUFFIX FLAG...): the program, built with the library's flags.
function(rangefinder_foreign suffix)
  file(GLOB sources CONFIGURE_DEPENDS
       ${CMAKE_SOURCE_DIR}/tests/harness/programs/*.cc)
  add_executable(foreign${suffix} ${sources})
  rangefinder_calls_nvtx(foreign${suffix})
  target_compile_options(foreign${suffix} PRIVATE -O1 -g1 ${ARGN})
  target_link_options(foreign${suffix} PRIVATE ${ARGN})
  target_link_libraries(
    foreign${suffix} PRIVATE rangefinder_warnings Threads::Threads
                             ${CMAKE_DL_LIBS})
endfunction()

rangefinder_foreign("" -fno-sanitize=all)
if(NOT RANGEFINDER_PORTABLE)
  rangefinder_foreign(_tsan -fno-sanitize=all -fsanitize=thread)
endif()

include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -static)
check_cxx_source_compiles("int main() { return 0; }" STATIC_PROGRAMS_LINK)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
# With a C library as old as the portable build's, they are not traced.
if(STATIC_PROGRAMS_LINK AND NOT RANGEFINDER_PORTABLE)
  rangefinder_foreign(_static -fno-sanitize=all -static)
  # The linker warns of dlopen(), which is the point.
  target_link_options(foreign_static PRIVATE -Wl,--no-warnings)
endif()

# The same cases every time; docs/verification.md has the long run.
set(harness python3 ${CMAKE_SOURCE_DIR}/tests/harness/harness.py --build
            ${CMAKE_BINARY_DIR} --seed 1)
if(CMAKE_CROSSCOMPILING_EMULATOR)
  list(APPEND harness --emulated)
endif()
add_test(NAME foreign_programs COMMAND ${harness} --cases 1000)
set_tests_properties(
  foreign_programs PROPERTIES LABELS cli TIMEOUT 1800 PROCESSORS 2)
add_test(NAME foreign_programs_armed COMMAND ${harness} --armed --cases 300)
set_tests_properties(
  foreign_programs_armed PROPERTIES LABELS cli TIMEOUT 1800 PROCESSORS 2)
if(TARGET foreign_tsan)
  add_test(NAME foreign_programs_tsan COMMAND ${harness} --calm --cases 60)
  set_tests_properties(
    foreign_programs_tsan PROPERTIES LABELS unit TIMEOUT 1800 PROCESSORS 2)
endif()

# Cases that differed in one run of ten or twenty, each many times.
set(rare_part "regions normal | fork{on:11:0{fresh:1 after:1{abort}} \
pest:11:20{forever{pairs:3}}}")
set(rare_exit "count normal | gpu:43 on:14:1{fresh:1 marks:3 after:2{exit:6}} \
timer:50:0{forever{startend:4 pairs:5}}")
set(rare_claim "regions normal static | \
fork{on:11:0{startend:2 marks:1 after:20{exit:6}} pest:11:5{forever{marks:1}}}")
set(rare_cases part exit)
if(TARGET foreign_static)
  list(APPEND rare_cases claim)
endif()
foreach(rare ${rare_cases})
  add_test(NAME foreign_programs_rare_${rare}
           COMMAND ${harness} --times 100 --case ${rare_${rare}})
  set_tests_properties(
    foreign_programs_rare_${rare} PROPERTIES LABELS cli TIMEOUT 600
                                             PROCESSORS 2)
endforeach()
