// `report` and `show`: captures that are there already, read again.

#pragma once

#include <string>
#include <vector>

#include "app/console.h"
#include "app/run_settings.h"
#include "base/error.h"

namespace rangefinder {

// Makes the reports of `paths` again: into the run directory where that is the
// only path, else into the run directory of the settings.
Status RunReport(const std::vector<std::string>& paths,
                 const RunSettings& settings, const Console& console);

struct ShowRequest {
  // table, md, json, csv, or one of kExportFormats
  std::string format = "table";
  std::string explain_region{};  // a region's name or path, with
  std::string explain_metric{};  // a metric: how its value came about
};

// The same on the terminal. Writes no file.
Status RunShow(const std::vector<std::string>& paths,
               const ShowRequest& request, const RunSettings& settings,
               const Console& console);

// Where `report` writes: see RunReport.
std::string ReportFolder(const std::vector<std::string>& paths,
                         const Settings& settings);

// Whether `path` is laid out like a run directory of ours.
bool IsRunDirectory(const std::string& path);

}  // namespace rangefinder
