// The metrics to request from ncu for the metrics that the user requested.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/notes.h"
#include "plan/settings.h"
#include "rollup/rollup.h"

namespace rangefinder {

// The metrics to request from ncu: the wanted metrics, with the inputs of
// derived metrics, without names that no chip has (ncu refuses a run for one
// such name), and with pipeline.ncu.exact_rollup also the inputs of exact
// combination. Each change is a note.
std::vector<std::string> CollectedMetrics(
    const NcuSettings& ncu, std::span<const DerivedMetric> derived,
    Notes& notes);

}  // namespace rangefinder
