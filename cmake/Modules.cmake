# One static library per module, linked as src/LAYERS says. A module is a folder
# of src/; its sources are all files below that folder, so a new file or subfolder
# needs no line here.

file(STRINGS src/LAYERS layers REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/LAYERS)

set(libraries_base lib::fmt lib::zlib lib::zstd Threads::Threads)
set(libraries_summary lib::boost lib::zstd lib::zlib lib::fmt)
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
set(libraries_insight lib::fmt)
set(libraries_report lib::json lib::fmt)
set(libraries_diff lib::boost lib::json lib::fmt)
set(libraries_export lib::json lib::sqlite lib::fmt)
set(libraries_analysis lib::fmt)
set(libraries_app lib::cli11 lib::json lib::fmt Threads::Threads)

foreach(layer IN LISTS layers)
  string(REGEX MATCH "^([a-z]+) *:(.*)$" _ "${layer}")
  set(module ${CMAKE_MATCH_1})
  string(STRIP "${CMAKE_MATCH_2}" below)
  separate_arguments(below)
  if(module STREQUAL inject)
    continue()  # a library of its own, see Inject.cmake
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${module}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cc$")
  if(sources)
    add_library(rangefinder_${module} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(
      rangefinder_${module} PRIVATE ${libraries_${module}} rangefinder_warnings)
    rangefinder_precompile(rangefinder_${module} rooms)
  else()
    add_library(rangefinder_${module} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(rangefinder_${module} ${scope} ${CMAKE_SOURCE_DIR}/src)
  foreach(other IN LISTS below)
    target_link_libraries(rangefinder_${module} ${scope} rangefinder_${other})
  endforeach()
  list(APPEND modules ${module})
endforeach()

# Files that a module embeds in the binary.
foreach(embedding IN ITEMS app capture config diff profile report)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/${embedding}/embed.cmake)
    include(${CMAKE_SOURCE_DIR}/src/${embedding}/embed.cmake)
  endif()
endforeach()

target_compile_definitions(
  rangefinder_app PRIVATE RANGEFINDER_VERSION="${PROJECT_VERSION}")
rangefinder_version(rangefinder_app)
