// What single instances of a region cost, beside the numbers in their names
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

// An instance, or several in a row that together last for some samples: means
// over them.
struct UnitRow {
  double instances = 1;
  std::array<double, kCovariates> numbers{};  // by Covariate; those of `kinds`
  double cost = 0;
};

struct UnitRows {
  RegionId region{};
  std::vector<Covariate> kinds{};  // that every name has; no iteration
  std::string metric{};            // empty: GPU time of kernels, in ns
  std::vector<UnitRow> rows{};     // in the order of time
  double systematic = 0;           // error of all costs alike, relative
};

// Of the regions with such names that run longest, at most 16: their GPU time
// of the undisturbed run, and `metrics` of the devices that were sampled.
// `estimates` may be null.
std::vector<UnitRows> FindUnitRows(const Profile& profile,
                                   const RegionTree& tree,
                                   const KnownNames& names,
                                   const CounterEstimates* estimates,
                                   std::span<const std::string_view> metrics);

}  // namespace rangefinder
