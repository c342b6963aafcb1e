// How one value of a report came about, as text: `show --explain`.

#pragma once

#include <string>

#include "analysis/analysis.h"
#include "base/error.h"
#include "report/report.h"
#include "rollup/rollup.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

// Of the region with this path or this name, and of the metric. kUsage where
// the report has no such region or metric.
Result<std::string> ExplainCell(const Analysis& analysis, const Report& report,
                                const RollupOptions& options,
                                const std::string& region_name,
                                const std::string& metric,
                                const TerminalStyle& style);

}  // namespace rangefinder
