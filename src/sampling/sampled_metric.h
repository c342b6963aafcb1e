// Known facts about a sampled metric: the tracer's part of it, and how far
// launches determine its counts.

#pragma once

#include <string_view>

#include "estimate/estimate.h"

namespace rangefinder {

// If the tracer's part of an instruction counter was never measured, `tracer`
// is half of its possible maximum, with a correspondingly large error.
//
// `sms`: number of the device's SMs. 0: unknown; the tracer's part of active
// cycles is then not subtracted, and no count is little.
EstimatedMetric SampledMetric(std::string_view name, double sms = 0);

}  // namespace rangefinder
