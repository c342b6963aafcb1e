// What a unit of work costs: GPU time and counters per generated token, per
// context token, per request, by regression over the instances of a region
// whose names have these numbers.
//
// A cost is stated where its interval of 99.9 % excludes 0, its number has
// three values or more, and other numbers do not tell it; else nothing is said.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "insight/run_view.h"
#include "region/name_facts.h"

namespace rangefinder {

class CounterEstimates;

// With its standard error and the interval of 95 %.
struct StatedCost {
  double value = 0, error = 0, low = 0, high = 0;
};

struct UnitCost {
  Covariate unit{};
  std::vector<Covariate> same{};  // numbers that are always equal to it
  StatedCost cost{};
  double from = 0, to = 0;  // of the number
  // All costs by all units, where no other number is stated.
  std::optional<double> mean{};
};

// Instances of like numbers.
struct UnitBin {
  double units = 0;  // mean
  double instances = 0;
  double cost = 0;  // mean
};

struct UnitCosts {
  RegionId region{};
  std::string metric{};  // empty: GPU time of kernels
  std::string unit{};    // base unit of the costs
  std::uint64_t instances = 0;
  double mean = 0;  // of an instance
  // Of an instance without any unit, and of each unit; empty where costs are no
  // line of the one unit that they depend on.
  std::optional<StatedCost> fixed{};
  std::vector<UnitCost> costs{};
  std::optional<Covariate> bends{};  // that unit
  std::vector<UnitBin> bins{};       // by it
};

// By region and metric; `estimates` may be null.
std::vector<UnitCosts> FindUnitCosts(const RunView& run,
                                     const KnownNames& names,
                                     const CounterEstimates* estimates);

}  // namespace rangefinder
