// Cutting a list of metrics into sets that one pass each can measure.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct MetricSets {
  // In the order of the list, each of one pass; a metric is in one of them.
  std::vector<std::vector<std::string>> sets{};
  // That need more than one pass by themselves.
  std::vector<std::string> too_large{};
};

// Passes of a set of metrics; an error ends the cutting.
using PassCount =
    std::function<Result<std::size_t>(std::span<const std::string> metrics)>;

// Few sets, and what belongs together stays together: the whole list where it
// fits; else metrics of one hardware unit (the text before "__") are placed as
// one where one pass can have them, units with most metrics first, each into
// the first set that takes it. A metric that is listed twice counts once.
Result<MetricSets> SetsOfOnePass(std::span<const std::string> metrics,
                                 const PassCount& passes);

}  // namespace rangefinder
