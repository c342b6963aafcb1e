// Explains how a cell was obtained: the rule, the weight, each contribution and
// the arithmetic.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "profile/profile.h"
#include "rollup/rollup.h"

namespace rangefinder {

// The rollup of `metric` over the measurements (see KernelsIn), step by step,
// as lines. At most `max_rows` contributions are listed; one line counts the
// rest. `options` of the rollup to explain; the metrics do not matter.
std::string Explain(const Profile& profile,
                    std::span<const MeasurementId> measurements,
                    std::string_view metric, const RollupOptions& options,
                    std::size_t max_rows = 50);

}  // namespace rangefinder
