// A report for the terminal: the tree with bars, fitted to a width.

#pragma once

#include <cstddef>
#include <ostream>

#include "report/report.h"

namespace rangefinder {

struct TerminalOptions {
  std::size_t width = 100;  // in cells
  bool color = false;       // ANSI escape sequences
  bool unicode = true;      // bars and tree lines; else ASCII
};

// Tree, top kernels, notes. At most ReportOptions::max_rows regions a scope.
void WriteTerminal(const Report& report, const TerminalOptions& options,
                   std::ostream& out);

}  // namespace rangefinder
