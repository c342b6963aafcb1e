// What the commands say of themselves, in words: `--help` and the manual page
// are made of it.

#pragma once

#include <span>
#include <string_view>

namespace rangefinder {

struct Example {
  std::string_view command;
  std::string_view says;  // what comes of it
};

struct CommandHelp {
  std::string_view synopsis;  // behind the command's name
  std::string_view text;      // paragraphs, with an empty line in between
  std::span<const Example> examples;
};

// Of one of Subcommands() (app/commands.h); every one has some.
const CommandHelp& HelpOf(std::string_view command);
// Of the program as a whole.
const CommandHelp& ProgramHelp();

}  // namespace rangefinder
