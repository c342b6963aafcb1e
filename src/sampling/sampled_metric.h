// Known facts about a metric that is sampled: the tracer's part of it, and how
// far the launches decide its counts.

#pragma once

#include <string_view>

#include "estimate/estimate.h"

namespace rangefinder {

// `tracer` of a counter of instructions whose part was never measured is half
// of what it can be at most, with an error as large as that deserves.
EstimatedMetric SampledMetric(std::string_view name);

}  // namespace rangefinder
