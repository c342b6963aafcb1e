# The warnings of all our targets. Those of the language are errors in every
# build, since a build folder that is kept shows a warning only once; those of
# the optimiser are errors in the development presets alone.
add_library(rangefinder_warnings INTERFACE)
target_compile_options(
  rangefinder_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror=shadow
            -Werror=conversion -Werror=unused -Werror=sign-compare)
if(CMAKE_UNITY_BUILD)
  # Sources in one file: GCC takes their classes for those of a header.
  target_compile_options(rangefinder_warnings INTERFACE -Wno-subobject-linkage)
endif()
option(RANGEFINDER_WERROR "Treat warnings as errors" OFF)
if(RANGEFINDER_WERROR)
  # GCC 12 with sanitizers reports false uninitialized values in std::regex (GCC
  # bug 105562), which must not fail the build.
  target_compile_options(
    rangefinder_warnings INTERFACE -Werror -Wno-error=maybe-uninitialized)
endif()
