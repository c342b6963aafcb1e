// Compares estimates from samples with exact counts of regions. Both are
// divided by their instances, since samples cover all instances and counts
// cover some instances. An exact count includes the copies and sets of its
// region, so these estimates include them too.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {

// A metric of a region per instance, in its base unit.
struct CountCheck {
  RegionId region{};
  std::size_t column = 0;       // of Rollup::columns
  double estimate = 0;          // its total, divided by the instances
  double estimate_error = 0;    // one standard error, per instance
  std::uint64_t instances = 0;  // number of instances in the estimate
  double exact = 0;             // the mean of the counted instances
  double exact_error = 0;       // their standard deviation / sqrt(counted);
                                // 0: a single instance
  std::uint64_t counted = 0;
  bool agrees = false;  // within 1.96 standard errors of the difference
};

// By region and column, for the first scope of `rollup`, which has estimates
// next to counts. Empty if nothing was counted or nothing estimated.
// `estimates`: null if nothing was estimated.
std::vector<CountCheck> CheckCounts(const Profile& profile,
                                    const RegionTree& tree,
                                    const Rollup& rollup,
                                    const CounterEstimates* estimates);

}  // namespace rangefinder
