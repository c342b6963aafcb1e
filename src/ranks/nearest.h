// The few that are nearest to a number, of many in its order.

#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace rangefinder {

using ByNumber = std::multimap<double, std::size_t>;

// At most `most` values, nearest first.
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
