// A report's notes on the terminal: wrapped, the important first, and those
// that only an expert needs left out unless asked for.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/notes.h"

namespace rangefinder {

struct TerminalNote {
  bool warns = false;                // else it is only worth knowing
  std::vector<std::string> lines{};  // safe to print
};

// Whether only an expert needs the note: how something was done, not what it
// means for the numbers.
bool IsForExperts(const Note& note);

// Data loss and warnings first, else in order of appearance.
std::vector<TerminalNote> NotesForTerminal(const Notes& notes, bool verbose,
                                           std::size_t width);

}  // namespace rangefinder
