# The page of a comparison: one built file, committed.
rangefinder_embed(rangefinder_diff EmbeddedDiffPage ${CMAKE_SOURCE_DIR}/web
                  dist/diff.html)
