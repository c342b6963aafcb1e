// Cuts a list of metrics into sets that one pass each can measure.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct MetricSets {
  // Sets of one pass, in the order of the list; a metric is in one set.
  std::vector<std::vector<std::string>> sets{};
  // Metrics that need more than one pass by themselves.
  std::vector<std::string> too_large{};
};

// The number of passes of a set of metrics; an error ends the cutting.
using PassCount =
    std::function<Result<std::size_t>(std::span<const std::string> metrics)>;

// Makes few sets and keeps related metrics together: one set if the whole list
// fits. Otherwise the metrics of one hardware unit (the text before "__") are
// placed together if one pass can have them, units with most metrics first,
// each into the first set that has room. A metric that is listed twice counts
// once.
Result<MetricSets> SetsOfOnePass(std::span<const std::string> metrics,
                                 const PassCount& passes);

}  // namespace rangefinder
