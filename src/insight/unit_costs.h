// Costs per unit of work: GPU time and counters per generated token, per
// context token, per request, by regression over the instances of a region
// whose names contain these numbers.
//
// A cost is stated if its 99.9 % interval excludes 0, its number has three
// values or more, and does not follow from other numbers; else nothing is
// stated.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "insight/run_view.h"
#include "region/name_facts.h"

namespace rangefinder {

class CounterEstimates;

// With its standard error and its 95 % interval.
struct StatedCost {
  double value = 0, error = 0, low = 0, high = 0;
};

struct UnitCost {
  Covariate unit{};
  std::vector<Covariate> same{};  // numbers that always equal it
  StatedCost cost{};
  double from = 0, to = 0;  // range of the number
  // Total cost over total units, if no other number is stated.
  std::optional<double> mean{};
};

// Instances with similar numbers.
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
  double mean = 0;  // per instance
  // The cost of an instance without units, and of each unit; empty if costs are
  // nonlinear in the only unit that they depend on.
  std::optional<StatedCost> fixed{};
  std::vector<UnitCost> costs{};
  std::optional<Covariate> bends{};  // the unit in which costs are nonlinear
  std::vector<UnitBin> bins{};       // by the number of this unit
};

// By region and metric; `estimates` may be null.
std::vector<UnitCosts> FindUnitCosts(const RunView& run,
                                     const KnownNames& names,
                                     const CounterEstimates* estimates);

}  // namespace rangefinder
