# The injection library. It is loaded into foreign processes, so it links as few
# libraries as possible; CUPTI is opened at run time.
file(GLOB_RECURSE inject_sources CONFIGURE_DEPENDS src/inject/*.cc)
list(FILTER inject_sources EXCLUDE REGEX "_(test|bench)\\.cc$")
if(inject_sources)
  include(src/inject/inject.cmake)
endif()
