# The statements that make the database of `--format sqlite`.
rangefinder_embed(rangefinder_export EmbeddedTables
                  ${CMAKE_SOURCE_DIR}/src/export/tables
                  schema.sql indices.sql views.sql)
