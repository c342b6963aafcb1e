// "How long to run": estimates that are less certain than requested
// (pipeline.counters.precision), and how many more instances they need.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace rangefinder {

// A value of a region, inner regions included, over all processes.
struct ImpreciseValue {
  RegionId region{};
  std::size_t column = 0;  // of Rollup::columns
  double share = 0;        // half of the interval of 95 %, by the value
  std::uint64_t instances = 0;
  // How many times longer the run has to be; nothing: no length suffices, as
  // the rest of the error does not depend on the length.
  std::optional<double> times{};
  // Number of additional instances; nothing if `times` is nothing, or a region
  // has no instances.
  std::optional<std::uint64_t> more{};
};

// For the metrics of the table, with regions by time; empty if no precision is
// requested. Bounds are left out.
std::vector<ImpreciseValue> ImpreciseValuesOf(const Report& report);

// The same in a few sentences; empty if all values are as certain as requested.
std::string PrecisionText(const Report& report);

// The interval of one value, and how more instances change it, in lines that
// each end in a newline; empty for bounds and values without an error.
std::string ExplainPrecision(const Report& report, const ScopeRollup& scope,
                             RegionId region, std::size_t column);

}  // namespace rangefinder
