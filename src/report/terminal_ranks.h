// The ranks of a job on a terminal: who is late, in sentences, and a small
// table of regions over ranks.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/terminal.h"

namespace rangefinder {

struct RanksLine {
  enum class Look : std::uint8_t { kPlain, kTitle, kDim, kWarn };
  Look look{};
  std::string text{};  // fits the width; safe to print
};

// Nothing with fewer than two ranks.
std::vector<RanksLine> RanksForTerminal(const Report& report,
                                        const TerminalOptions& options);

}  // namespace rangefinder
