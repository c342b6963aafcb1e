// Metrics that no profiler measures: formulas over metrics, as data in
// conf/derived/*.yaml. A formula is evaluated on what its inputs amount to over
// a region, and is never itself averaged.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct DerivedMetric {
  std::string name{};
  std::string unit{};
  std::string formula{};  // see formula.h; may name other derived metrics
  std::string doc{};      // what it means, for people
};

// kUsage, naming the place, when the text is not a list of derived metrics or a
// formula is none.
Result<std::vector<DerivedMetric>> ParseDerived(std::string_view yaml);

}  // namespace rangefinder
