// Medians of numbers.

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace rangefinder {

// The median; for an even count the lower of the two middle values, so that the
// result is one of the values. Reorders `values`; 0 without values.
inline double LowerMedian(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The median; for an even count the mean of the two middle values. Reorders
// `values`; 0 without values.
inline double Median(std::span<double> values) {
  const double lower = LowerMedian(values);
  if (values.size() % 2 == 1 || values.empty()) return lower;
  const auto above =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  return (lower + *std::min_element(above, values.end())) / 2;
}

// The median; for an even count the upper of the two middle values. 0 without
// values.
template <typename Number>
Number UpperMedian(std::vector<Number> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace rangefinder
