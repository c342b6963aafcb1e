// From settings to what an analysis and a report need to know.

#pragma once

#include "analysis/analysis.h"
#include "app/settings.h"
#include "report/report.h"

namespace rangefinder {

// What the configuration asked of the capture itself. It holds for reports on a
// run directory, and not on loose files, whose capture it did not make.
enum class Asked { kByTheseSettings, kBySomebody };

AnalysisOptions AnalysisOptionsOf(const Settings& settings);

ReportOptions ReportOptionsOf(const Settings& settings,
                              Asked asked = Asked::kBySomebody);

}  // namespace rangefinder
