// Which metrics are asked of ncu for those that were asked of us.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/notes.h"
#include "plan/settings.h"
#include "rollup/rollup.h"

namespace rangefinder {

// The metrics to ask ncu for: those wanted, derived ones taken apart, without
// the names that no chip has (ncu refuses a run for one of them), and with
// pipeline.ncu.exact_rollup what it takes to combine them exactly. All is
// noted.
std::vector<std::string> CollectedMetrics(
    const NcuSettings& ncu, std::span<const DerivedMetric> derived,
    Notes& notes);

}  // namespace rangefinder
