// Growth: the instances of a region take longer and longer.

#pragma once

#include <optional>
#include <span>

#include "profile/region_times.h"

namespace rangefinder {

struct Growth {
  // The mean length of the last quarter of the instances over that of the
  // first.
  double ratio = 1;
  double ns = 0;  // time beyond the first quarter's length, of all instances
};

// `spans`: the instances in order, without warm-up. Nothing if their length
// does not rise from quarter to quarter, or by less than the instances differ.
std::optional<Growth> GrowthOf(std::span<const TimeSpan> spans);

}  // namespace rangefinder
