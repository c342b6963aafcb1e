// From settings to the options of a report.

#pragma once

#include "app/settings.h"
#include "report/report.h"

namespace rangefinder {

// What the configuration asked of the capture itself. It holds for reports on a
// run directory, and not on loose files, whose capture it did not make.
enum class Asked { kByTheseSettings, kBySomebody };

ReportOptions ReportOptionsOf(const Settings& settings,
                              Asked asked = Asked::kBySomebody);

}  // namespace rangefinder
