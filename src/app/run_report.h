// What a run directory holds, reported into it: the end of every command that
// captures.

#pragma once

#include <filesystem>

#include "analysis/analysis.h"
#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"
#include "report/report.h"

namespace rangefinder {

// Writes the reports, prints the region tree where `tree` says so, and where
// the report is.
Status ReportRunDirectory(const std::filesystem::path& run_dir, bool tree,
                          const Settings& settings, const Console& console);

// Prints the table that these settings ask for.
void ShowReport(const Report& report, const Settings& settings,
                const Console& console);

// The same of what has been read already.
Status ReportAnalysis(const Analysis& analysis,
                      const std::filesystem::path& run_dir, bool tree,
                      const Settings& settings, const Console& console);

}  // namespace rangefinder
