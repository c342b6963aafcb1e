// "How long to run": estimates that are less certain than the user asks
// (pipeline.counters.precision), and how many more instances would do.

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
  // How many times as long a run would do; nothing: none would, as the rest of
  // the error does not depend on how long the run is.
  std::optional<double> times{};
  // Instances beyond those there are; nothing where `times` is nothing, or a
  // region has no instances.
  std::optional<std::uint64_t> more{};
};

// Of the table's metrics, the regions by time; none where no precision is asked
// for. Bounds are not among them.
std::vector<ImpreciseValue> ImpreciseValuesOf(const Report& report);

// The same in a few sentences; empty where all values are as certain as asked.
std::string PrecisionText(const Report& report);

// One value's interval, and what more instances do to it, in lines that each
// end in a newline; nothing of bounds and of values without an error.
std::string ExplainPrecision(const Report& report, RegionId region,
                             std::size_t column);

}  // namespace rangefinder
