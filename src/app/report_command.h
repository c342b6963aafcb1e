// `report`: captures that are there already, reported again.

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

// Where `report` writes: see RunReport.
std::string ReportFolder(const std::vector<std::string>& paths,
                         const Settings& settings);

// Whether `path` is laid out like a run directory of ours.
bool IsRunDirectory(const std::string& path);

}  // namespace rangefinder
