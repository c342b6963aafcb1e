# The injection library: loaded into foreign processes, so it links nothing of
# ours and as little as possible of anybody's. CUPTI is opened at run time.
file(GLOB inject_sources CONFIGURE_DEPENDS src/inject/*.cc)
list(FILTER inject_sources EXCLUDE REGEX "_(test|bench)\\.cc$")
if(inject_sources)
  include(src/inject/inject.cmake)
endif()
