# Writes the version and the commit into a source file if they have changed. It runs
# at every build, since a commit or an edit of any file changes them; only that
# source file is compiled again.
#
#   rangefinder_version(TARGET)                      in a CMakeLists
#   cmake -DVERSION=… -DSOURCE=… -DOUTPUT=… -P       the command that it runs

# The commit of SOURCE: of its own repository (a tarball may be unpacked below
# another repository), otherwise the commit that `git archive` has written.
function(rangefinder_commit source result)
  set(commit "")
  if(EXISTS ${source}/.git)
    # --exclude: the commit and not a tag's name. No optional locks: a build must
    # not disturb git commands.
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env GIT_OPTIONAL_LOCKS=0
              git -C ${source} describe --always --dirty --abbrev=12 --exclude=*
      RESULT_VARIABLE status OUTPUT_VARIABLE described ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0)
      set(commit ${described})
    endif()
  else()
    file(STRINGS ${source}/src/app/commit.txt archived LIMIT_COUNT 1)
    string(SUBSTRING "${archived}" 0 12 commit)
  endif()
  if(NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
    set(commit "")
  endif()
  set(${result} "${commit}" PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  rangefinder_commit(${SOURCE} commit)
  if(commit)
    set(text "${VERSION} (commit ${commit})")
  else()
    set(text "${VERSION} (unknown commit)")
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include \"app/version.h\"

namespace rangefinder {
const char* VersionText() { return \"${text}\"; }
}  // namespace rangefinder
")
  return()
endif()

set(version_source ${CMAKE_BINARY_DIR}/version/version.cc)
add_custom_target(
  rangefinder_version
  COMMAND ${CMAKE_COMMAND} -DVERSION=${PROJECT_VERSION}
          -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${version_source}
          -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${version_source}
  COMMENT "Asking for the commit")

function(rangefinder_version target)
  target_sources(${target} PRIVATE ${version_source})
  add_dependencies(${target} rangefinder_version)
endfunction()
