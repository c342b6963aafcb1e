# Foreign programs under the injection library: one program that does what it is
# told, and a script that draws what it is told and compares its runs.

# rangefinder_foreign(SUFFIX FLAG...): the program, built as the library is.
function(rangefinder_foreign suffix)
  file(GLOB sources CONFIGURE_DEPENDS
       ${CMAKE_SOURCE_DIR}/tests/harness/programs/*.cc)
  add_executable(foreign${suffix} ${sources})
  target_include_directories(
    foreign${suffix} SYSTEM PRIVATE ${NVTX3_INCLUDE_DIR})
  target_compile_options(foreign${suffix} PRIVATE -O1 -g1 ${ARGN})
  target_link_options(foreign${suffix} PRIVATE ${ARGN})
  target_link_libraries(
    foreign${suffix} PRIVATE rangefinder_warnings Threads::Threads
                             ${CMAKE_DL_LIBS})
endfunction()

if(NVTX3_INCLUDE_DIR)
  rangefinder_foreign("" -fno-sanitize=all)
  rangefinder_foreign(_tsan -fno-sanitize=all -fsanitize=thread)
endif()
