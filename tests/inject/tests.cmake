# The tracer's tests: real programs with NVTX, run under the real library, and
# their traces read back. The same again with the sanitizers, in programs built
# for them, since the library itself is loaded into foreign ones.
#
# The programs call NVTX through tests/support/nvtx_client.h, so that they need
# no CUDA. Where NVIDIA's headers are installed, one program is built with them
# too, and our declarations of NVTX are compared with theirs.
enable_testing()

find_path(NVTX3_INCLUDE_DIR nvtx3/nvToolsExt.h
          PATHS /usr/local/cuda/include ENV CUDA_PATH PATH_SUFFIXES include)
find_package(GTest REQUIRED)
include(GoogleTest)

set(inject_programs ${CMAKE_SOURCE_DIR}/tests/inject/programs)
set(inject_definitions
    RANGEFINDER_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    INJECT_LIBRARY="$<TARGET_FILE:rangefinder_inject>")

# rangefinder_calls_nvtx(TARGET): it includes the tests' NVTX client.
function(rangefinder_calls_nvtx target)
  target_include_directories(
    ${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)
endfunction()

# The programs whose regions are counted, and a stand-in for the driver, which is
# found by its name.
function(rangefinder_counted_programs suffix)
  add_executable(inject_counted${suffix} ${inject_programs}/counted.cc)
  rangefinder_calls_nvtx(inject_counted${suffix})
  add_library(inject_fake_driver${suffix} SHARED
              ${inject_programs}/fake_driver.cc)
  set_target_properties(
    inject_fake_driver${suffix}
    PROPERTIES OUTPUT_NAME cuda SUFFIX .so SOVERSION 1
               LIBRARY_OUTPUT_DIRECTORY
               ${CMAKE_BINARY_DIR}/fake_driver${suffix})
  foreach(target inject_counted${suffix} inject_fake_driver${suffix})
    target_compile_options(${target} PRIVATE ${ARGN})
    target_link_options(${target} PRIVATE ${ARGN})
    target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    add_dependencies(inject_tests ${target})
  endforeach()
  string(TOUPPER "${suffix}" upper)
  target_compile_definitions(
    inject_tests
    PRIVATE INJECT_COUNTED${upper}="$<TARGET_FILE:inject_counted${suffix}>"
            INJECT_FAKE_DRIVER${upper}="$<TARGET_FILE:inject_fake_driver${suffix}>"
  )
endfunction()

# The program that is hard for an injection library, linked with these flags. A
# static program has a C library of its own.
function(rangefinder_hard_host suffix)
  add_executable(inject_hard_host${suffix} ${inject_programs}/hard_host.cc)
  rangefinder_calls_nvtx(inject_hard_host${suffix})
  target_compile_options(inject_hard_host${suffix} PRIVATE -fno-sanitize=all)
  target_link_options(
    inject_hard_host${suffix} PRIVATE -fno-sanitize=all ${ARGN})
  target_link_libraries(
    inject_hard_host${suffix} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  add_dependencies(inject_tests inject_hard_host${suffix})
  string(TOUPPER "${suffix}" upper)
  target_compile_definitions(
    inject_tests
    PRIVATE INJECT_HARD_HOST${upper}="$<TARGET_FILE:inject_hard_host${suffix}>")
endfunction()

# rangefinder_inject_programs(SUFFIX FLAG...): the test program, the CUPTI
# stand-in and, with a suffix, a library built with the same flags.
function(rangefinder_inject_programs suffix)
  add_executable(inject_ranges${suffix} ${inject_programs}/ranges.cc)
  rangefinder_calls_nvtx(inject_ranges${suffix})
  target_compile_options(inject_ranges${suffix} PRIVATE ${ARGN})
  target_link_options(inject_ranges${suffix} PRIVATE ${ARGN})
  target_link_libraries(
    inject_ranges${suffix} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  add_library(inject_fake_cupti${suffix} MODULE
              ${inject_programs}/fake_cupti.cc
              ${inject_programs}/fake_host.cc
              ${inject_programs}/fake_ranges.cc
              ${inject_programs}/fake_sampling.cc)
  target_include_directories(
    inject_fake_cupti${suffix} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  set_target_properties(
    inject_fake_cupti${suffix} PROPERTIES UNITY_BUILD OFF)  # its sources have equal names
  target_compile_options(inject_fake_cupti${suffix} PRIVATE ${ARGN})
  target_link_options(inject_fake_cupti${suffix} PRIVATE ${ARGN})
  target_link_libraries(inject_fake_cupti${suffix} PRIVATE Threads::Threads)
  add_dependencies(
    inject_tests inject_ranges${suffix} inject_fake_cupti${suffix})
  rangefinder_counted_programs("${suffix}" ${ARGN})
  if(suffix)
    rangefinder_injection(rangefinder_inject${suffix} ${ARGN})
    add_dependencies(inject_tests rangefinder_inject${suffix})
  endif()
endfunction()

file(GLOB inject_test_sources CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/tests/inject/*.cc)
add_executable(inject_tests ${inject_test_sources}
               ${CMAKE_SOURCE_DIR}/src/inject/gpu/cubin_lines.cc)
target_include_directories(
  inject_tests PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(inject_tests PRIVATE ${inject_definitions})
target_link_libraries(
  inject_tests PRIVATE rangefinder_export rangefinder_capture lib::fmt lib::json
                       rangefinder_warnings Threads::Threads GTest::gmock
                       GTest::gtest_main)
rangefinder_test(inject_tests -O0)
add_dependencies(inject_tests rangefinder_inject)

rangefinder_inject_programs("" -fno-sanitize=all)
if(RANGEFINDER_PORTABLE)
  # As users' programs do. One with GCC's unwinder in itself aborts where a thread
  # ends in frames that have something to clean up.
  target_link_libraries(
    inject_ranges
    PRIVATE ${CMAKE_SYSROOT}/lib/${RANGEFINDER_ARCH}-linux-gnu/libgcc_s.so.1)
endif()
rangefinder_hard_host("")
# -w: the linker warns of dlopen(), which is the point.
rangefinder_hard_host(_static -static -Wl,--no-warnings)
# As before CUDA 12.6: without PM sampling.
add_library(inject_fake_cupti_before MODULE ${inject_programs}/fake_cupti.cc)
target_include_directories(
  inject_fake_cupti_before PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(inject_fake_cupti_before PRIVATE -fno-sanitize=all)
target_link_options(inject_fake_cupti_before PRIVATE -fno-sanitize=all)
target_link_libraries(inject_fake_cupti_before PRIVATE Threads::Threads)
add_dependencies(inject_tests inject_fake_cupti_before)
add_executable(inject_pair ${CMAKE_SOURCE_DIR}/bench/inject_pair.cc)
rangefinder_calls_nvtx(inject_pair)
target_link_libraries(
  inject_pair PRIVATE rangefinder_warnings ${CMAKE_DL_LIBS})
add_library(inject_nvtx_library MODULE ${inject_programs}/nvtx_library.cc)
rangefinder_calls_nvtx(inject_nvtx_library)
target_compile_options(inject_nvtx_library PRIVATE -fno-sanitize=all)
target_link_options(inject_nvtx_library PRIVATE -fno-sanitize=all)
add_dependencies(inject_tests inject_nvtx_library)
target_compile_definitions(
  inject_tests
  PRIVATE INJECT_NVTX_LIBRARY="$<TARGET_FILE:inject_nvtx_library>"
          INJECT_PROGRAM="$<TARGET_FILE:inject_ranges>"
          INJECT_FAKE_CUPTI_BEFORE="$<TARGET_FILE:inject_fake_cupti_before>"
          INJECT_FAKE_CUPTI="$<TARGET_FILE:inject_fake_cupti>")
# The sanitizers' libraries need a newer C library than the portable build links.
if(NOT RANGEFINDER_PORTABLE)
  rangefinder_inject_programs(
    _tsan -fno-sanitize=all -fsanitize=thread -O1 -g1)
  rangefinder_inject_programs(
    _asan -fno-sanitize=all -fsanitize=address,undefined
    -fno-sanitize-recover=all -O1 -g1)
  target_compile_definitions(
    inject_tests
    PRIVATE INJECT_PROGRAM_TSAN="$<TARGET_FILE:inject_ranges_tsan>"
            INJECT_FAKE_CUPTI_TSAN="$<TARGET_FILE:inject_fake_cupti_tsan>"
            INJECT_LIBRARY_TSAN="$<TARGET_FILE:rangefinder_inject_tsan>"
            INJECT_PROGRAM_ASAN="$<TARGET_FILE:inject_ranges_asan>"
            INJECT_FAKE_CUPTI_ASAN="$<TARGET_FILE:inject_fake_cupti_asan>"
            INJECT_LIBRARY_ASAN="$<TARGET_FILE:rangefinder_inject_asan>")
endif()
if(NVTX3_INCLUDE_DIR)
  add_executable(inject_ranges_nvidia ${inject_programs}/ranges.cc)
  rangefinder_calls_nvtx(inject_ranges_nvidia)
  target_include_directories(
    inject_ranges_nvidia SYSTEM PRIVATE ${NVTX3_INCLUDE_DIR})
  target_compile_definitions(inject_ranges_nvidia PRIVATE NVIDIA_NVTX=1)
  target_compile_options(inject_ranges_nvidia PRIVATE -fno-sanitize=all)
  target_link_options(inject_ranges_nvidia PRIVATE -fno-sanitize=all)
  target_link_libraries(
    inject_ranges_nvidia PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  add_dependencies(inject_tests inject_ranges_nvidia)
  target_include_directories(inject_tests SYSTEM PRIVATE ${NVTX3_INCLUDE_DIR})
  target_compile_definitions(
    inject_tests
    PRIVATE INJECT_PROGRAM_NVIDIA="$<TARGET_FILE:inject_ranges_nvidia>")
endif()
gtest_discover_tests(inject_tests DISCOVERY_MODE PRE_TEST
                     PROPERTIES LABELS unit TIMEOUT 300)
