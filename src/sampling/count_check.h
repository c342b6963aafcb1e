// Estimates of samples against exact counts: both are of regions, and of an
// instance here, since samples are of all instances and counts of some.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder {

// A metric of a region, in its base unit, of one instance.
struct CountCheck {
  RegionId region{};
  std::size_t column = 0;       // of Rollup::columns
  double estimate = 0;          // its total, divided by the instances
  double estimate_error = 0;    // one standard error, likewise
  std::uint64_t instances = 0;  // that the estimate is over
  double exact = 0;             // the mean of those that were counted
  double exact_error = 0;       // their standard deviation / sqrt(counted);
                                // 0 of a single one
  std::uint64_t counted = 0;
  bool agrees = false;  // within 1.96 standard errors of the difference
};

// Of the first scope of `rollup`, which has estimates beside what was counted:
// by region and column. Empty where nothing was counted or nothing estimated.
std::vector<CountCheck> CheckCounts(const Profile& profile,
                                    const RegionTree& tree,
                                    const Rollup& rollup);

}  // namespace rangefinder
