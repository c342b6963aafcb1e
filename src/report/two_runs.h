// What the documents say of an undisturbed run beside the measured one, in one
// place for all of them; rollup/traced.h knows it.

#pragma once

#include <string>

#include "report/report.h"

namespace rangefinder {

// Whether there are two runs to compare.
bool HasTwoRuns(const Report& report);
// Whether one of them replayed kernels or ranges, so that their times are not
// the program's: counts of regions are no replay.
bool HasReplay(const Report& report);

// ---- Text ----

// "trace 2.10 s; all (kernel) 23.4 s, 9 passes"; empty where it is not known.
std::string RunsText(const Report& report);

// "12 of 840 launches carry counters, 96.0 % of the region's time"; empty where
// all do.
std::string CoverageText(const Report& report, const ScopeRollup& scope,
                         RegionId region);
}  // namespace rangefinder
