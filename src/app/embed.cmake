# The scripts of `completion`, with @words@ for what completion.cc puts in.
rangefinder_embed(rangefinder_app EmbeddedCompletion
                  ${CMAKE_SOURCE_DIR}/src/app/completion
                  rangefinder.bash rangefinder.zsh)

# The texts of the commands.
rangefinder_embed(rangefinder_app EmbeddedCommands ${CMAKE_SOURCE_DIR}/src/app
                  commands.yaml)
