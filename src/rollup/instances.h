// Metrics that have many values in one measurement, merged over several.

#pragma once

#include <span>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

// The instances of `metric` over the measurements. What is counted per program
// counter adds up by key, keys ascending; that means something for launches of
// one function only, for which a program counter is the same instruction.
// Everything else (samples over time, lists of launches, text) is put one after
// the other, in the order of the measurements.
std::vector<Instance> MergeInstances(
    const Profile& profile, MetricId metric,
    std::span<const MeasurementId> measurements);

}  // namespace rangefinder
