# The toolchain of the portable build: Debian 12's GCC, for x86_64 or aarch64
# (RANGEFINDER_ARCH), against the libraries that scripts/sysroot.sh unpacks.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${RANGEFINDER_ARCH})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RANGEFINDER_ARCH)
set(triplet ${RANGEFINDER_ARCH}-linux-gnu)
get_filename_component(CMAKE_SYSROOT
  ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot/${RANGEFINDER_ARCH} ABSOLUTE)

# CMake asks the compiler for its folders, and a compiler cache does not repeat
# the answer.
set(ENV{CCACHE_DISABLE} 1)
set(CMAKE_C_COMPILER ${triplet}-gcc-12)
set(CMAKE_CXX_COMPILER ${triplet}-g++-12)
# GCC's folders for cross compilation have a C library too, and come first: so the
# folders are listed, GCC's own before the sysroot's.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=include
                OUTPUT_VARIABLE own OUTPUT_STRIP_TRAILING_WHITESPACE)
set(standard /usr/include/c++/12)
set(standard_own /usr/include/${triplet}/c++/12)
if(EXISTS /usr/${triplet}/include/c++/12)
  set(standard /usr/${triplet}/include/c++/12)
  set(standard_own ${standard}/${triplet})
endif()
set(system "-isystem ${own} -isystem ${CMAKE_SYSROOT}/usr/include/${triplet} \
-isystem ${CMAKE_SYSROOT}/usr/include")
set(CMAKE_C_FLAGS_INIT "-nostdinc ${system}")
set(CMAKE_ASM_FLAGS_INIT "-nostdinc ${system}")
set(CMAKE_CXX_FLAGS_INIT
    "-nostdinc -isystem ${standard} -isystem ${standard_own} ${system}")
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-B${CMAKE_SYSROOT}/usr/lib/${triplet}/ \
-static-libstdc++ -static-libgcc")
endforeach()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${triplet}/pkgconfig)
unset(ENV{LIBRARY_PATH})

if(NOT RANGEFINDER_ARCH STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR
      qemu-${RANGEFINDER_ARCH}-static -L ${CMAKE_SYSROOT})
endif()
