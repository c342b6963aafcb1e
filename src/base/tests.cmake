# Another library unpacks what ours packs.
target_link_libraries(base_tests PRIVATE lib::zlib)
