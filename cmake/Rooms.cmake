# One static library a room, linked as src/LAYERS says. A room's sources are the
# files of its folder, so a new file needs no line here.

file(STRINGS src/LAYERS layers REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/LAYERS)

set(libraries_base lib::fmt lib::zlib lib::zstd)
set(libraries_config lib::yaml lib::json lib::fmt)
set(libraries_profile lib::fmt)
set(libraries_estimate lib::eigen lib::fmt)
set(libraries_ingest lib::protozero lib::zstd lib::sqlite lib::fmt)
set(libraries_capture lib::json lib::fmt)
set(libraries_counters lib::fmt ${CMAKE_DL_LIBS})
set(libraries_region lib::re2 lib::fmt)
set(libraries_rollup lib::re2 lib::fmt)
set(libraries_sampling lib::fmt)
set(libraries_plan lib::fmt)
set(libraries_report lib::json lib::fmt)
set(libraries_export lib::json lib::fmt)
set(libraries_analysis lib::fmt Threads::Threads)
set(libraries_app lib::cli11 lib::json lib::fmt Threads::Threads)

foreach(layer IN LISTS layers)
  string(REGEX MATCH "^([a-z]+) *:(.*)$" _ "${layer}")
  set(room ${CMAKE_MATCH_1})
  string(STRIP "${CMAKE_MATCH_2}" below)
  separate_arguments(below)
  if(room STREQUAL inject)
    continue()  # a library of its own, see Inject.cmake
  endif()
  file(GLOB sources CONFIGURE_DEPENDS src/${room}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cc$")
  if(sources)
    add_library(rangefinder_${room} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(
      rangefinder_${room} PRIVATE ${libraries_${room}} rangefinder_warnings)
    rangefinder_precompile(rangefinder_${room} rooms)
  else()
    add_library(rangefinder_${room} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(rangefinder_${room} ${scope} ${CMAKE_SOURCE_DIR}/src)
  foreach(other IN LISTS below)
    target_link_libraries(rangefinder_${room} ${scope} rangefinder_${other})
  endforeach()
  list(APPEND rooms ${room})
endforeach()

# What a room carries inside the binary.
foreach(embedding IN ITEMS app capture config profile report)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/${embedding}/embed.cmake)
    include(${CMAKE_SOURCE_DIR}/src/${embedding}/embed.cmake)
  endif()
endforeach()

target_compile_definitions(
  rangefinder_app PRIVATE RANGEFINDER_VERSION="${PROJECT_VERSION}")
rangefinder_version(rangefinder_app)
