// Known facts about a sampled metric: the tracer's part of it, and how far
// launches determine its counts.

#pragma once

#include <string_view>

#include "estimate/estimate.h"

namespace rangefinder {

// If the tracer's part of an instruction counter was never measured, `tracer`
// is half of its possible maximum, with a correspondingly large error.
//
// `sms`: how many the device has; 0: unknown, and no part of cycles is known.
EstimatedMetric SampledMetric(std::string_view name, double sms = 0);

}  // namespace rangefinder
