# The injection library. It is loaded into foreign processes, so it links as few
# libraries as possible; CUPTI is opened at run time. The sources of the module
# `cupti` are compiled into it, with its own flags.
file(GLOB_RECURSE inject_sources CONFIGURE_DEPENDS src/inject/*.cc
     src/cupti/*.cc)
list(FILTER inject_sources EXCLUDE REGEX "_(test|bench)\\.cc$")
include(src/inject/inject.cmake)
