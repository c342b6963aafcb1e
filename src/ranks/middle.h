// Medians of numbers, and the numbers that are nearest to a number.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rangefinder {

// The median; for an even count the lower of the two middle values, so that it
// is one of the values. Reorders `values`; 0 without values.
inline double LowerMedian(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The median; for an even count the mean of the two middle values.
inline double Median(std::span<double> values) {
  const double lower = LowerMedian(values);
  if (values.size() % 2 == 1 || values.empty()) return lower;
  const auto above =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  return (lower + *std::min_element(above, values.end())) / 2;
}

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
