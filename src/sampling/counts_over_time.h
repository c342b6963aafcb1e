// How the counters of regions went over the run: a decode loop whose cache
// grows counts more from step to step, which a total does not show.

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
  std::size_t device = 0;             // place among the sampled ones
  std::vector<RegionBlock> blocks{};  // times as SampledLaunch's
};

// Of the regions that run longest on the device and are gone through often
// enough; inner ones are in theirs.
std::vector<CountsOverTime> FindOverTime(const Profile& profile,
                                         const RegionTree& tree,
                                         const SampledLaunches& launches,
                                         const CounterFit& fit,
                                         std::size_t device);

// A straight line through a metric's blocks, by an instance.
struct CountTrend {
  double first = 0;  // at the middle of the first block
  double last = 0;
  double error = 0;  // one standard error of the difference
};

// Where it rises or falls beyond doubt, and by enough to matter.
std::optional<CountTrend> TrendOf(std::span<const RegionBlock> blocks,
                                  std::size_t metric);

}  // namespace rangefinder
