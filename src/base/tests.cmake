# Another library unpacks what ours packs.
target_sources(base_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/unpack.cc)
target_link_libraries(base_tests PRIVATE lib::zlib)
