// What measurements amount to that no region has together: the calls of a
// kernel, wherever they were.

#pragma once

#include <span>
#include <vector>

#include "profile/profile.h"
#include "rollup/rollup.h"

namespace rangefinder {

// One for each group, with cells by `columns`: those of a Rollup by the same
// options. Without cells where they are others.
std::vector<Amounts> AmountsOf(
    const Profile& profile, std::span<const std::vector<MeasurementId>> groups,
    const RollupOptions& options, std::span<const Column> columns);

}  // namespace rangefinder
