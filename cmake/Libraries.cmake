# Third-party libraries: imported targets `lib::<name>`. The portable build links
# archives, so that the binary needs only glibc.

find_package(Threads REQUIRED)

# rangefinder_library(NAME HEADER LIBRARY...) defines lib::NAME with headers and
# libraries from the system's folders.
function(rangefinder_library name header)
  add_library(lib_${name} INTERFACE)
  add_library(lib::${name} ALIAS lib_${name})
  find_path(${name}_INCLUDE_DIR ${header} REQUIRED)
  target_include_directories(lib_${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
  foreach(library IN LISTS ARGN)
    if(RANGEFINDER_PORTABLE)
      find_library(${library}_LIBRARY NAMES lib${library}.a REQUIRED)
    else()
      find_library(${library}_LIBRARY NAMES ${library} REQUIRED)
    endif()
    target_link_libraries(lib_${name} INTERFACE ${${library}_LIBRARY})
  endforeach()
endfunction()

# Debian has no archive of fmt: the portable build compiles one of fmt 9, and other
# versions of fmt as headers in every object.
if(NOT RANGEFINDER_PORTABLE)
  rangefinder_library(fmt fmt/format.h fmt)
else()
  rangefinder_library(fmt fmt/format.h)
  file(STRINGS ${fmt_INCLUDE_DIR}/fmt/core.h fmt_9
       REGEX "^#define FMT_VERSION 9[0-9][0-9][0-9][0-9]$")
  if(fmt_9)
    add_library(rangefinder_fmt STATIC cmake/fmt_archive.cc)
    target_link_libraries(lib_fmt INTERFACE rangefinder_fmt)
  else()
    target_compile_definitions(lib_fmt INTERFACE FMT_HEADER_ONLY=1)
  endif()
endif()
rangefinder_library(boost boost/math/distributions/normal.hpp)
rangefinder_library(json nlohmann/json.hpp)
rangefinder_library(protozero protozero/pbf_reader.hpp)
rangefinder_library(cli11 CLI/CLI.hpp)
rangefinder_library(eigen eigen3/Eigen/Core)
rangefinder_library(yaml yaml.h yaml)
rangefinder_library(sqlite sqlite3.h sqlite3)
target_link_libraries(lib_sqlite INTERFACE ${CMAKE_DL_LIBS})
rangefinder_library(zstd zstd.h zstd)
rangefinder_library(zlib zlib.h z)
rangefinder_library(deflate libdeflate.h deflate)
rangefinder_library(re2 re2/re2.h re2)
# re2 of 2023 and later needs Abseil; pkg-config knows the flags.
find_package(PkgConfig)
if(PkgConfig_FOUND)
  if(RANGEFINDER_PORTABLE)
    execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --static --libs re2
                    OUTPUT_VARIABLE re2_flags OUTPUT_STRIP_TRAILING_WHITESPACE)
  else()
    execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --libs re2
                    OUTPUT_VARIABLE re2_flags OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  string(REGEX MATCHALL "-labsl_[a-z0-9_]+" absl_flags "${re2_flags}")
  target_link_libraries(lib_re2 INTERFACE ${absl_flags})
endif()
target_link_libraries(lib_re2 INTERFACE Threads::Threads)
