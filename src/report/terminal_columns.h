// The columns of a scope's table on the terminal, in the order in which they
// stand: those to the right give way first.

#pragma once

#include <span>
#include <vector>

#include "report/report.h"
#include "report/terminal_table.h"

namespace rangefinder {

// A cell for each region of `order`.
std::vector<TextColumn> TerminalColumns(const Report& report,
                                        const ScopeRollup& scope,
                                        std::span<const RegionId> order);

}  // namespace rangefinder
