# The viewer of the HTML report: one built file, committed.
rangefinder_embed(rangefinder_writers EmbeddedViewer ${CMAKE_SOURCE_DIR}/web
                  dist/report.html)
