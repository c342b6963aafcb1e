// What reports say of counters that change over the run.

#pragma once

#include <ostream>
#include <vector>

#include "report/report.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {

// The counters of a region over the run, a device each. Empty where the region
// is not followed.
std::vector<const CountsOverTime*> FollowedIn(const Report& report,
                                              const Scope& scope, RegionId id);

// "`x` grows from 2.1 to 3.4 MB an instance over the run": a line, where
// something grows or falls beyond doubt.
void WriteOverTimeMarkdown(std::ostream& out, const Report& report,
                           const Scope& scope, RegionId id);

}  // namespace rangefinder
