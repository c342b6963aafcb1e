// The rows of a region that are one process's: found among those of thousands
// of processes without a look at each.

#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "profile/value.h"

namespace rangefinder {

// Places in `rows` by process, those of one as they are: the order of
// Region::visits and Region::uses.
template <typename Row>
std::vector<std::uint32_t> ByProcess(const std::vector<Row>& rows) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto process = [&](std::uint32_t i) { return rows[i].process; };
  if (!std::ranges::is_sorted(order, {}, process))
    std::ranges::stable_sort(order, {}, process);
  return order;
}

// Those of `places`, which are in that order, that are `process`'s.
template <typename Row>
std::span<const std::uint32_t> OfProcess(
    const std::vector<std::uint32_t>& places, const std::vector<Row>& rows,
    ProcessId process) {
  const auto of = [&](std::uint32_t i) { return rows[i].process; };
  return {std::ranges::lower_bound(places, process, {}, of),
          std::ranges::upper_bound(places, process, {}, of)};
}

}  // namespace rangefinder
