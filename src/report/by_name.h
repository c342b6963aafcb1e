// The view of a report by name: what the regions of one name, wherever they
// are, amount to together (Rollup's NameRow).

#pragma once

#include <ostream>
#include <string>

#include "report/report.h"

namespace rangefinder {

// The name shown for a row, with its domain.
std::string NameTitle(const Report& report, const NameRow& row);

// A Markdown section with a table; nothing where every name is one region's.
void WriteNamesMarkdown(const Report& report, const ScopeRollup& scope,
                        std::ostream& out);

}  // namespace rangefinder
