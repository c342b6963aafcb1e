// `report` and `show`: captures that are there already, read again.

#pragma once

#include <string>
#include <vector>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

// Makes the reports of `paths` again: into the run directory where that is the
// only path, else into settings.run_dir.
Status RunReport(const std::vector<std::string>& paths,
                 const Settings& settings, const Console& console);

// The same on the terminal; `format` is table, md, json or csv. Writes no file.
Status RunShow(const std::vector<std::string>& paths, std::string_view format,
               const Settings& settings, const Console& console);

// Where `report` writes: see RunReport.
std::string ReportFolder(const std::vector<std::string>& paths,
                         const Settings& settings);

// Whether `path` is laid out like a run directory of ours.
bool IsRunDirectory(const std::string& path);

}  // namespace rangefinder
