// A report for the terminal: what was found, a table fitted to a width, notes.

#pragma once

#include <cstddef>
#include <ostream>

#include "base/error.h"
#include "report/report.h"
#include "report/table_view.h"
#include "rollup/rollup.h"

namespace rangefinder {

struct TerminalOptions {
  std::size_t width = 100;  // in cells
  bool color = false;       // ANSI escape sequences
  bool unicode = true;      // bars and tree lines; else ASCII
  bool verbose = false;     // notes that only an expert needs, too
  TableView view{};
  RollupOptions rollup{};  // that the report was rolled up by
};

// Whether the report has what the view names: kUsage, with the nearest that it
// has, for a column or a scope that it has not.
Status CheckView(const Report& report, const TableView& view);

// At most ReportOptions::max_rows rows a table. What the view names and the
// report has not is passed over.
void WriteTerminal(const Report& report, const TerminalOptions& options,
                   std::ostream& out);

}  // namespace rangefinder
