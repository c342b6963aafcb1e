#include "rollup/cell.h"

#include <array>

namespace rangefinder {

std::string_view HowName(How how) {
  constexpr std::array<std::string_view, 6> kNames = {
      "measured", "exact", "estimated", "approx", "bound", "absent"};
  return kNames[static_cast<std::size_t>(how)];
}

std::string_view BoundName(Bound bound) {
  constexpr std::array<std::string_view, 3> kNames = {"", "upper", "lower"};
  return kNames[static_cast<std::size_t>(bound)];
}

}  // namespace rangefinder
