// Distances from the middle of numbers, and the numbers that are nearest to a
// number.

#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/median.h"

namespace rangefinder {

// The median distance from `middle`.
inline double MedianDistance(std::vector<double> values, double middle) {
  for (double& value : values) value = std::abs(value - middle);
  return Median(values);
}

using ByNumber = std::multimap<double, std::size_t>;

// The values with the numbers nearest to `number`, at most `most`, nearest
// first.
inline std::vector<std::size_t> Nearest(const ByNumber& sorted, double number,
                                        std::size_t most) {
  std::vector<std::size_t> found;
  auto above = sorted.lower_bound(number);
  auto below = above;
  while (found.size() < most) {
    const bool can_above = above != sorted.end();
    const bool can_below = below != sorted.begin();
    if (!can_above && !can_below) break;
    const bool take_above =
        can_above && (!can_below || above->first - number <=
                                        number - std::prev(below)->first);
    if (take_above) {
      found.push_back((above++)->second);
    } else {
      found.push_back((--below)->second);
    }
  }
  return found;
}

}  // namespace rangefinder
