// The middle of numbers, and how far they lie from it.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace rangefinder {

// The value in the middle, of an even number the lower of the two: it is one
// of them. Reorders `values`; 0 of none.
inline double LowerMedian(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The mean of the two in the middle, of an even number.
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

}  // namespace rangefinder
