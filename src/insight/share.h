// What part of a whole something is, where that is a number.

#pragma once

#include <cmath>
#include <optional>

namespace rangefinder {

// Nothing of a whole that is nothing, or more than a double holds.
inline std::optional<double> ShareOf(double part, double whole) {
  const double share = part / whole;
  if (!(whole > 0) || !std::isfinite(share) || !std::isfinite(whole))
    return std::nullopt;
  return share;
}

}  // namespace rangefinder
