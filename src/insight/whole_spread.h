// How the instances of a region that were measured as a whole differ: one row
// per replay mode and metric, since numbers of two modes are never combined.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rollup/rollup.h"

namespace rangefinder {

struct WholeSpread {
  ReplayMode mode = ReplayMode::kUnknown;
  std::optional<std::size_t> column{};  // of Rollup::columns; nothing: time
  std::size_t instances = 0;            // that have a value
  double min = 0;
  double median = 0;  // of an even number: the mean of the middle two
  double max = 0;
};

// For the time and each of `columns`, in the order of the modes' first rows;
// rows with fewer than two instances are left out.
std::vector<WholeSpread> SpreadOfWholes(
    const RegionRollup& region, const std::vector<std::size_t>& columns);

// The time of the row, or its value in a column of the rollup; nothing if it
// has none.
std::optional<double> ValueOfWhole(const WholeRow& row,
                                   std::optional<std::size_t> column);

// "counters, mean of 8 instances".
std::string WholeText(const WholeRow& row);

}  // namespace rangefinder
