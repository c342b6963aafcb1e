# The scripts of `completion`, with @words@ for what completion.cc puts in.
rangefinder_embed(rangefinder_app EmbeddedCompletion
                  ${CMAKE_SOURCE_DIR}/src/app/completion
                  rangefinder.bash rangefinder.zsh)

# `using enum KeyType` of the table would hide names of other sources.
set_source_files_properties(
  src/app/setting.cc src/app/settings_table.cc
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# The texts of the commands.
rangefinder_embed(rangefinder_app EmbeddedCommands ${CMAKE_SOURCE_DIR}/src/app
                  commands.yaml)
