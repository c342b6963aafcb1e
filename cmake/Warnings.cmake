# The warnings every target of ours is built with; errors where we develop.
add_library(rangefinder_warnings INTERFACE)
target_compile_options(
  rangefinder_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
option(RANGEFINDER_WERROR "Treat warnings as errors" OFF)
if(RANGEFINDER_WERROR)
  target_compile_options(rangefinder_warnings INTERFACE -Werror)
endif()
