// What reports say of counters that were estimated from samples: how good the
// estimates are, and those that stand beside measured values.

#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace rangefinder {

// The metrics that were sampled; none where nothing was.
std::vector<std::string> SampledMetricsOf(const Report& report);

// Whether there are estimates of any device.
bool HasEstimates(const Report& report);

// "6 counters, 28,056 samples of 200 µs, good fit (R² 0.998)"; of several
// devices, each. Empty where nothing was sampled.
std::string SamplingText(const Report& report);

// How a region's value of a column was estimated, or why it was not, in lines
// that each end in a newline. Empty where it is no estimate.
std::string ExplainEstimate(const Report& report, RegionId region,
                            std::size_t column);

// Why estimates are not to be relied on, of each device whose fit is not good:
// "doubtful: 24 % of the samples were lost". Empty where all are.
std::string DoubtText(const Report& report);

}  // namespace rangefinder
