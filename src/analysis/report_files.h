// The report half of a run directory (product layout: docs/run-directory.md).

#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "base/error.h"

namespace rangefinder {

// Writes the documents of the run into ncu/regions/ below `run_dir`; where
// regions have folders, also these, report.md, kernels.md, ncu/raw.csv and
// ncu/sections_report.txt. ReportOptions::files chooses among them, but for the
// texts of sections. Each file is replaced as a whole;
// folders of regions that the report no longer has are removed. `progress`
// receives the state of long work.
Status WriteReportFiles(const Report& report,
                        const std::filesystem::path& run_dir,
                        const std::function<void(std::string_view)>& progress);

// The document that WriteReportFiles() writes for a person or a script to read
// first; and the page, which is empty where none is written.
std::filesystem::path MainReport(const Report& report,
                                 const std::filesystem::path& run_dir);
std::filesystem::path PageOf(const Report& report,
                             const std::filesystem::path& run_dir);

}  // namespace rangefinder
