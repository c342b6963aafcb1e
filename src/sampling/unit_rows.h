// Costs of single instances of a region, next to the numbers in their names
// (region/name_facts.h): GPU time of each instance, and counters from the
// samples that it lies in.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "region/name_facts.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {

// An instance, or the means over consecutive instances that together last for
// some samples.
struct UnitRow {
  double instances = 1;
  // By Covariate, for the kinds in UnitRows::kinds.
  std::array<double, kCovariates> numbers{};
  double cost = 0;
};

struct UnitRows {
  RegionId region{};
  // The kinds in every name, without iterations.
  std::vector<Covariate> kinds{};
  std::string metric{};         // empty: GPU time of kernels, in ns
  std::vector<UnitRow> rows{};  // in the order of time
  double systematic = 0;        // error of all costs alike, relative
};

// For the at most 16 regions with numbers in their names that run longest:
// their GPU time in the baseline run, and `metrics` of the sampled devices.
// `estimates` may be null.
std::vector<UnitRows> FindUnitRows(const Profile& profile,
                                   const RegionTree& tree,
                                   const KnownNames& names,
                                   const CounterEstimates* estimates,
                                   std::span<const std::string_view> metrics);

}  // namespace rangefinder
