// The counts of single instances of a region: the counts of the samples that
// its launches lie in, divided in proportion to the estimates of all launches
// in these samples.

#include <algorithm>

#include "estimate/fit_steps.h"

namespace rangefinder {
namespace {

// Adds the counts of one launch to `sum`, and returns the part of the launch
// that lies in samples. `count`: the estimate for a launch of its group.
double AddLaunch(const FitState& state, const LaunchPlace& place,
                 const Vector& count, Vector& sum) {
  double seen = 0;
  state.ForEachPart(place, [&](std::uint32_t i, double part) {
    seen += part;
    const auto row = static_cast<Index>(i);
    for (Index m = 0; m < sum.size(); ++m) {
      const double fitted = state.fitted(row, m);
      const double by =
          fitted > 0 ? std::max(state.own(row, m) / fitted, 0.0) : 1;
      sum[m] += part * by * count[m];
    }
  });
  sum += std::max(1 - seen, 0.0) * count;
  return std::min(seen, 1.0);
}

}  // namespace

std::vector<InstanceCounts> CountInstances(
    const FitState& state, std::span<const RegionQuery> instances) {
  std::vector<InstanceCounts> all;
  for (const RegionQuery& instance : instances) {
    InstanceCounts& one = all.emplace_back();
    if (state.x.size() == 0) continue;
    Vector sum = Vector::Zero(state.x.cols());
    double time = 0, seen = 0;
    for (const std::uint32_t l : instance.launches) {
      const std::uint32_t group = state.group_of_launch[l];
      if (group == CounterFit::kNoGroup) continue;
      const LaunchPlace& place = state.places[l];
      const double length = place.end_ns - place.start_ns;
      time += length;
      seen +=
          length * AddLaunch(state, place,
                             state.counts.row(static_cast<Index>(group)), sum);
    }
    if (time <= 0) continue;
    one.seen = seen / time;
    one.counts.assign(sum.begin(), sum.end());
  }
  return all;
}

}  // namespace rangefinder
