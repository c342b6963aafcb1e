#include "sampling/counts_over_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sampling/region_instances.h"

namespace rangefinder {
namespace {

constexpr std::size_t kMostCandidates = 16;
// Sample values to process, over all regions.
constexpr double kMostValues = 2e6;
constexpr std::size_t kLeastInstances = 16;
constexpr std::size_t kLeastBlocks = 4;
constexpr double kSure = 4;        // standard errors
constexpr double kMatters = 0.03;  // part of the mean

// Time on the device by region, inner regions included.
std::vector<double> BusyOf(const RegionTree& tree,
                           const SampledLaunches& launches) {
  std::vector<double> busy(tree.regions().size(), 0);
  for (std::size_t l = 0; l < launches.launches.size(); ++l) {
    if (launches.regions[l] == kNotInTree) continue;
    const SampledLaunch& launch = launches.launches[l];
    busy[Index(launches.regions[l])] +=
        static_cast<double>(launch.end_ns - launch.start_ns);
  }
  for (std::size_t r = busy.size(); r-- > 1;)
    busy[Index(tree.regions()[r].parent)] += busy[r];
  return busy;
}

// Regions with the longest time first.
std::vector<RegionId> Longest(const RegionTree& tree,
                              const std::vector<double>& busy) {
  std::vector<RegionId> order;
  for (std::size_t r = 1; r < busy.size(); ++r) {
    if (busy[r] > 0 && !tree.regions()[r].unattributed)
      order.push_back(static_cast<RegionId>(r));
  }
  std::ranges::stable_sort(order, [&](RegionId a, RegionId b) {
    return busy[Index(a)] > busy[Index(b)];
  });
  if (order.size() > kMostCandidates) order.resize(kMostCandidates);
  return order;
}

// The number of regions to follow: fewer if each costs much.
std::size_t MostRegions(const CounterFit& fit) {
  const FitQuality& quality = fit.quality();
  const auto each = static_cast<double>(quality.samples_used) *
                    static_cast<double>(quality.metrics.size());
  return static_cast<std::size_t>(
      std::clamp(kMostValues / std::max(each, 1.0), 1.0, 8.0));
}

// Sums of a line's least squares over the blocks, weighted by their errors.
struct LineSums {
  double weight = 0, x = 0, xx = 0, y = 0, xy = 0;
  std::size_t count = 0;

  void Add(double at, double value, double error) {
    const double by = 1 / (error * error);
    weight += by;
    x += by * at;
    xx += by * at * at;
    y += by * value;
    xy += by * at * value;
    ++count;
  }
  double spread() const { return xx - x * x / weight; }
  double slope() const { return (xy - x * y / weight) / spread(); }
};

}  // namespace

std::vector<CountsOverTime> FindOverTime(const Profile& profile,
                                         const RegionTree& tree,
                                         const SampledLaunches& launches,
                                         const CounterFit& fit,
                                         std::size_t device) {
  std::vector<CountsOverTime> found;
  if (fit.quality().verdict == FitVerdict::kBad) return found;
  const std::vector<RegionId> regions = Longest(tree, BusyOf(tree, launches));
  const RegionInstances all(profile, tree, launches, regions);
  const std::size_t most = MostRegions(fit);
  for (const RegionId region : regions) {
    const InstancesOfRegion& candidate = all.Of(region);
    // Launches without an instance would be attributed to other regions.
    if (candidate.instances.size() < kLeastInstances ||
        candidate.unmatched > candidate.matched / 10)
      continue;
    std::vector<RegionQuery> instances;
    for (const auto& [key, instance] : candidate.instances)
      instances.push_back(instance.query);
    found.push_back({.region = region,
                     .device = device,
                     .blocks = fit.OverTime(instances)});
    if (found.size() == most) break;
  }
  return found;
}

std::optional<CountTrend> TrendOf(std::span<const RegionBlock> blocks,
                                  std::size_t metric) {
  LineSums sums;
  const auto visit = [&](auto add) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const CounterEstimate& one = blocks[b].per_instance[metric];
      if (one.total && one.statistical > 0)
        add(static_cast<double>(b), *one.total, one.statistical);
    }
  };
  visit([&](double at, double value, double error) {
    sums.Add(at, value, error);
  });
  if (sums.count < kLeastBlocks || sums.spread() <= 0) return std::nullopt;
  const double slope = sums.slope();
  const double mean = sums.y / sums.weight, middle = sums.x / sums.weight;
  // About the line: a scatter beyond the errors enlarges the error.
  double squares = 0;
  visit([&](double at, double value, double error) {
    const double off = (value - mean - slope * (at - middle)) / error;
    squares += off * off;
  });
  const double beyond =
      std::max(squares / static_cast<double>(sums.count - 2), 1.0);
  const double error = std::sqrt(beyond / sums.spread());
  const auto length = static_cast<double>(blocks.size() - 1);
  if (std::abs(slope) < kSure * error ||
      std::abs(slope) * length < kMatters * mean)
    return std::nullopt;
  return CountTrend{.first = mean - slope * middle,
                    .last = mean + slope * (length - middle),
                    .error = error * length};
}

}  // namespace rangefinder
