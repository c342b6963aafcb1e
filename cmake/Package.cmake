# Installed files, and packages. scripts/pack.sh packs the portable build: as a
# Debian package by CPack, and as an archive by tar, which can sort files.

set(docs share/doc/rangefinder)
install(TARGETS rangefinder RUNTIME DESTINATION bin)
if(TARGET rangefinder_inject)
  # A plug-in, not a library to link, so it has a folder of its own.
  install(TARGETS rangefinder_inject LIBRARY DESTINATION lib/rangefinder)
endif()

# The program itself writes the manual page and the completions.
set(CPACK_PACKAGE_CONTACT
    "Rangefinder maintainers <maintainers@rangefinder.invalid>")
set(folder ${CMAKE_BINARY_DIR}/texts)
set(texts ${folder}/rangefinder.1.gz ${folder}/rangefinder.bash
          ${folder}/_rangefinder ${folder}/changelog.gz)
add_custom_command(
  OUTPUT ${texts}
  COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/package_texts.py
          ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CPACK_PACKAGE_CONTACT} ${folder}
          ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:rangefinder>
  DEPENDS rangefinder CHANGELOG.md tools/package_texts.py
  VERBATIM)
if(RANGEFINDER_PORTABLE)
  set(packed ALL)
endif()
add_custom_target(package_texts ${packed} DEPENDS ${texts})
install(FILES ${folder}/rangefinder.1.gz DESTINATION share/man/man1 OPTIONAL)
install(FILES ${folder}/rangefinder.bash
        DESTINATION share/bash-completion/completions RENAME rangefinder
        OPTIONAL)
install(FILES ${folder}/_rangefinder DESTINATION share/zsh/vendor-completions
        OPTIONAL)
install(FILES ${folder}/changelog.gz DESTINATION ${docs} OPTIONAL)

install(FILES README.md CHANGELOG.md DESTINATION ${docs})
# The licence, and the licences of the libraries that the portable build links.
install(FILES LICENSE DESTINATION ${docs})
install(FILES ${CMAKE_BINARY_DIR}/copyright DESTINATION ${docs} OPTIONAL)
file(GLOB pages CONFIGURE_DEPENDS docs/*.md docs/*.json)
install(FILES ${pages} DESTINATION ${docs}/docs)
file(GLOB examples CONFIGURE_DEPENDS examples/*.cu examples/*.h examples/*.py)
install(FILES ${examples} DESTINATION ${docs}/examples)
install(PROGRAMS examples/build.sh DESTINATION ${docs}/examples)
install(FILES tests/fixtures/nested_basic.ncu-rep DESTINATION ${docs}/examples
        RENAME nested_regions.ncu-rep)

install(FILES share/skills/rangefinder/SKILL.md
        DESTINATION share/skills/rangefinder)

string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_PACKAGE_NAME rangefinder)
set(CPACK_PACKAGE_VENDOR "Rangefinder")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "profiles a CUDA program by its NVTX regions")
set(CPACK_PACKAGE_DESCRIPTION
"Rangefinder says of every NVTX range of a CUDA program, and of every range
inside it, how much GPU time it took, which kernels ran, which hardware metrics
they had and what limits them, as Markdown, JSON and one HTML page.
.
Profiling needs Nsight Compute; reports of what was captured need nothing.")
set(CPACK_PACKAGE_FILE_NAME
    rangefinder-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
# The builder's umask must not change the packages.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
