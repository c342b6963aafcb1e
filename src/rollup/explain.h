// How a cell came about, for people: the rule, the weight, each contribution
// and the arithmetic.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "profile/profile.h"
#include "rollup/rollup.h"

namespace rangefinder {

// What `metric` amounts to over the measurements (see KernelsIn), step by step:
// lines of text, each ending in a newline. Of many contributions the first
// `max_rows` are listed and the rest is added up in one line. `options` are
// those of the rollup that is to be explained, but for its metrics.
std::string Explain(const Profile& profile,
                    std::span<const MeasurementId> measurements,
                    std::string_view metric, const RollupOptions& options,
                    std::size_t max_rows = 50);

}  // namespace rangefinder
