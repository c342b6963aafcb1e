// The command line: which command, with which overrides.

#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"

namespace CLI {
class App;
}

namespace rangefinder {

// Runs the program; the process's exit status (docs/errors.md).
int Main(int argc, char** argv);

// All commands with their options, which are parsed into `line`.
void AddCommands(CLI::App& app, CommandLine& line);

// What completion offers: the commands, each with its options. The first has no
// name and stands for the program.
struct CommandWords {
  std::string command{};
  std::vector<std::string> options{};  // "--format"
};
std::vector<CommandWords> WordsOfCommands();

}  // namespace rangefinder
