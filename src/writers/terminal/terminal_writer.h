// Any document on a terminal: wrapped, fitted to a width, with colours.

#pragma once

#include <cstddef>
#include <ostream>

#include "document/document.h"

namespace rangefinder {

struct TerminalStyle {
  std::size_t width = 100;  // in cells
  bool color = false;       // ANSI escape sequences
  bool unicode = true;      // bars and the lines of trees; else ASCII
};

void WriteTerminal(const Document& document, const TerminalStyle& style,
                   std::ostream& out);

}  // namespace rangefinder
