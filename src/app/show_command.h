// `show`: captures that are there already, on the terminal.

#pragma once

#include <string>
#include <vector>

#include "app/console.h"
#include "app/run_settings.h"
#include "base/error.h"

namespace rangefinder {

struct ShowRequest {
  // table, or one of Formats() (export/formats.h)
  std::string format = "table";
  std::string explain_region{};  // a region's name or path, with
  std::string explain_metric{};  // a metric: how its value came about
};

// Writes what `paths` hold to standard output, and no file. kUsage for a format
// or region that there is none of, and where a format needs a trace.
Status RunShow(const std::vector<std::string>& paths,
               const ShowRequest& request, const RunSettings& settings,
               const Console& console);

}  // namespace rangefinder
