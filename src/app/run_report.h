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
#include "report/terminal.h"

namespace rangefinder {

struct Settings;

// What is made of a capture.
struct Reporting {
  AnalysisOptions analysis{};
  ReportOptions report{};
  TableView table{};  // on the terminal
};
Reporting ReportingOf(const Settings& settings);

// How the terminal shows a report.
TerminalOptions TerminalOptionsOf(const TableView& view,
                                  const RollupOptions& rollup,
                                  const Console& console);

// Writes the reports, prints the region tree where `tree` says so, and where
// the report is.
Status ReportRunDirectory(const std::filesystem::path& run_dir, bool tree,
                          const Reporting& reporting, const Console& console);

// The same of what has been read already.
Status ReportAnalysis(const Analysis& analysis,
                      const std::filesystem::path& run_dir, bool tree,
                      const Reporting& reporting, const Console& console);

// Where all ranks of the job have finished, reports the run directory, and
// otherwise says how many have; a report that cannot be made is said, and fails
// no rank.
void ReportRank(const Rank& rank, const std::filesystem::path& run_dir,
                const Reporting& reporting, const Console& console);

}  // namespace rangefinder
