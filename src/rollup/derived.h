// Metrics that no profiler measures: formulas over metrics, as data in
// conf/derived/*.yaml. A formula is evaluated on what its inputs amount to over
// a region, and is never itself averaged.

#pragma once

#include <string>

namespace rangefinder {

struct DerivedMetric {
  std::string name{};
  std::string unit{};
  std::string formula{};  // see formula.h; may name other derived metrics
  std::string doc{};      // what it means, for people
};

}  // namespace rangefinder
