# The warnings every target of ours is built with; errors where we develop.
add_library(rangefinder_warnings INTERFACE)
target_compile_options(
  rangefinder_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
option(RANGEFINDER_WERROR "Treat warnings as errors" OFF)
if(RANGEFINDER_WERROR)
  # GCC 12 with sanitizers sees uninitialized values in std::regex where there
  # are none (GCC bug 105562); it may say so, but not fail the build.
  target_compile_options(
    rangefinder_warnings INTERFACE -Werror -Wno-error=maybe-uninitialized)
endif()
