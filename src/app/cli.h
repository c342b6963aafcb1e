// The command line: which command, with which words and options.

#pragma once

#include <string>
#include <vector>

#include "app/commands.h"
#include "base/error.h"

namespace rangefinder {

// Runs the program and returns the exit status of the process (docs/errors.md).
int Main(int argc, char** argv);

// ---- The words, before they are parsed ----
// The program behind --, spellings of Hydra's users, and unknown commands.

struct Typed {
  std::vector<std::string> words{};    // for CLI11, in order
  std::vector<std::string> program{};  // after a bare --, unchanged
};

Typed ReadTyped(std::vector<std::string> arguments);

// kUsage, with the nearest command: the command is unknown.
Status CheckCommand(const Typed& typed);

// The error for an option that a command does not have, with its nearest
// option.
Error UnknownOption(const std::string& option, const std::string& command,
                    const std::vector<std::string>& options);

// ---- Words for completion ----

// A command with its options; the first entry has no name and is the program
// itself.
struct CommandWords {
  std::string command{};
  std::vector<std::string> options{};  // "--format"
  std::string keys{};                  // prefixes, as of Subcommand
};
std::vector<CommandWords> WordsOfCommands();

}  // namespace rangefinder
