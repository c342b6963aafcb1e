// The report half of a run directory (product layout: docs/run-directory.md).

#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"

namespace rangefinder {

// Writes report.md, kernels.md, ncu/raw.csv, ncu/sections_report.txt and all of
// ncu/regions/ below `run_dir`, as far as ReportOptions::files asks for them
// (texts of sections are always written). Each file is replaced as a whole;
// folders of regions that the report no longer has are removed. `progress`
// receives the state of long work.
Status WriteReportFiles(const Report& report,
                        const std::filesystem::path& run_dir,
                        const std::function<void(std::string_view)>& progress);

// The file to open first of those that WriteReportFiles() writes.
std::filesystem::path MainReport(const Report& report,
                                 const std::filesystem::path& run_dir);

}  // namespace rangefinder
