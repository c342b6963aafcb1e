// The course of the counters of regions over the run. In a decode loop with a
// growing cache, for example, counts rise from step to step; a total does not
// show this.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "estimate/estimate.h"
#include "profile/profile.h"
#include "region/tree.h"
#include "sampling/sampled_launches.h"

namespace rangefinder {

struct CountsOverTime {
  RegionId region{};
  std::size_t device = 0;             // index of the sampled device
  std::vector<RegionBlock> blocks{};  // times as SampledLaunch's
};

// For the regions that run longest on the device and have enough instances.
// Work of inner regions is included.
std::vector<CountsOverTime> FindOverTime(const Profile& profile,
                                         const RegionTree& tree,
                                         const SampledLaunches& launches,
                                         const CounterFit& fit,
                                         std::size_t device);

// A straight line through a metric's blocks, per instance.
struct CountTrend {
  double first = 0;  // at the middle of the first block
  double last = 0;
  double error = 0;  // one standard error of the difference
};

// The trend, if it is certain and large enough to matter.
std::optional<CountTrend> TrendOf(std::span<const RegionBlock> blocks,
                                  std::size_t metric);

}  // namespace rangefinder
