// The command line: which command, with which words and options.

#pragma once

#include <string>
#include <vector>

#include "app/commands.h"
#include "base/error.h"

namespace rangefinder {

// Runs the program; the process's exit status (docs/errors.md).
int Main(int argc, char** argv);

// ---- The words, before they are parsed ----
// The program behind --, spellings that Hydra's users know, and commands that
// there are none of.

struct Typed {
  std::vector<std::string> words{};    // for CLI11, in order
  std::vector<std::string> program{};  // behind a bare --, whatever it is
};

Typed ReadTyped(std::vector<std::string> arguments);

// Nothing wrong with the command; or kUsage, with the one that was meant.
Status CheckCommand(const Typed& typed);

// kUsage of an option that a command does not have, with the nearest of those
// that it has.
Error UnknownOption(const std::string& option, const std::string& command,
                    const std::vector<std::string>& options);

// ---- What completion offers ----

// A command with its options; the first has no name and stands for the program.
struct CommandWords {
  std::string command{};
  std::vector<std::string> options{};  // "--format"
  std::string keys{};                  // prefixes, as of Subcommand
};
std::vector<CommandWords> WordsOfCommands();

}  // namespace rangefinder
