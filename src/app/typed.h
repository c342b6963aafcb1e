// The words that were typed, before the command line is parsed: the program
// behind --, spellings that Hydra's users know, and commands that there are
// none of.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

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

}  // namespace rangefinder
