// A part over its whole, if that is a finite number.

#pragma once

#include <cmath>
#include <optional>

namespace rangefinder {

// Nothing if the whole is 0, or if the share is not finite.
inline std::optional<double> ShareOf(double part, double whole) {
  const double share = part / whole;
  if (!(whole > 0) || !std::isfinite(share) || !std::isfinite(whole))
    return std::nullopt;
  return share;
}

}  // namespace rangefinder
