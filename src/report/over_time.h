// What reports say of counters that change over the run.

#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {

// The counters of a region over the run, a device each. Empty where the region
// is not followed.
std::vector<const CountsOverTime*> FollowedIn(const Report& report,
                                              const Scope& scope, RegionId id);

// A counter whose value per instance grows or falls beyond doubt.
struct CounterTrend {
  std::string metric{};
  std::string unit{};
  double first = 0;
  double last = 0;
};
std::vector<CounterTrend> TrendsOf(const Report& report, const Scope& scope,
                                   RegionId id);

}  // namespace rangefinder
