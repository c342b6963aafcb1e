// The reports of a run directory, written into it: the end of every command
// that captures.

#pragma once

#include <filesystem>

#include "analysis/analysis.h"
#include "app/console.h"
#include "base/error.h"
#include "capture/options.h"
#include "report/report.h"
#include "report/table_view.h"

namespace rangefinder {

struct Settings;

// The options of analysis, reports and the table on the terminal.
struct Reporting {
  AnalysisOptions analysis{};
  ReportOptions report{};
  TableView table{};  // on the terminal
};
Reporting ReportingOf(const Settings& settings);

// Prints the table of a report on the terminal.
void ShowReport(const Report& report, const TableView& view,
                const RollupOptions& rollup, const Console& console);

// Writes the reports, prints the region tree if `tree` is set, and prints the
// path of the report.
Status ReportRunDirectory(const std::filesystem::path& run_dir, bool tree,
                          const Reporting& reporting, const Console& console);

// The same for an analysis that is already made.
Status ReportAnalysis(const Analysis& analysis,
                      const std::filesystem::path& run_dir, bool tree,
                      const Reporting& reporting, const Console& console);

// Reports the run directory if all ranks of the job have finished; otherwise
// prints how many have. A failed report is a message and no failure of a rank.
void ReportRank(const Rank& rank, const std::filesystem::path& run_dir,
                const Reporting& reporting, const Console& console);

}  // namespace rangefinder
