// Divides a list of metrics into sets that need one pass each.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct MetricSets {
  // In the order of the list; every metric is in one set.
  std::vector<std::vector<std::string>> sets{};
  // Metrics that need more than one pass alone.
  std::vector<std::string> too_large{};
};

// Returns the passes of a set of metrics; an error ends the division.
using PassCount =
    std::function<Result<std::size_t>(std::span<const std::string> metrics)>;

// Makes few sets, and keeps related metrics together. If the whole list does
// not fit into one pass, metrics of one hardware unit (the text before "__")
// are placed together if one pass allows it, the largest units first, each into
// the first set with room. A metric that is listed twice counts once.
Result<MetricSets> SetsOfOnePass(std::span<const std::string> metrics,
                                 const PassCount& passes);

}  // namespace rangefinder
