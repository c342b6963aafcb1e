// Writes the reports of a run directory (its layout: docs/run-directory.md).

#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"

namespace rangefinder {

// Writes the documents of the run into ncu/regions/ below `run_dir`; if regions
// have folders, also those folders, report.md, kernels.md, ncu/raw.csv and
// ncu/sections_report.txt. ReportOptions::files selects among them, except for
// the texts of sections. Each file is replaced as a whole; folders of regions
// that are no longer in the report are removed. `progress` receives the state
// of long work.
Status WriteReportFiles(const Report& report,
                        const std::filesystem::path& run_dir,
                        const std::function<void(std::string_view)>& progress);

// The document of WriteReportFiles() that a person or a script should read
// first; and the page, empty if none is written.
std::filesystem::path MainReport(const Report& report,
                                 const std::filesystem::path& run_dir);
std::filesystem::path PageOf(const Report& report,
                             const std::filesystem::path& run_dir);

}  // namespace rangefinder
