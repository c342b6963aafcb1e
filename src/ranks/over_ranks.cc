#include "ranks/over_ranks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

// The values of one region, and whose they are.
class Values {
 public:
  void Add(std::size_t record, double value) {
    if (values_.empty() || value < of_.min) {
      of_.min = value;
      of_.min_at = record;
    }
    if (values_.empty() || value > of_.max) {
      of_.max = value;
      of_.max_at = record;
    }
    of_.sum += value;
    values_.push_back(value);
  }

  // And begins anew.
  OverRanks Take() {
    of_.ranks = values_.size();
    of_.median = Median(values_);
    values_.clear();
    return std::exchange(of_, {});
  }

  bool empty() const { return values_.empty(); }

 private:
  OverRanks of_{};
  std::vector<double> values_;
};

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

// The records that have a region, and the node that it is in each.
Places PlacesOf(const JoinedRegions& regions, std::size_t region) {
  Places places;
  for (const auto& [tree, node] : regions.Nodes(region)) {
    for (const std::size_t record : regions.RecordsOf(tree))
      places.emplace_back(record, node);
  }
  std::ranges::sort(places);
  return places;
}

}  // namespace

std::vector<RegionOverRanks> RegionsOverRanks(const Ranks& ranks,
                                              const JoinedRegions& regions,
                                              const RegionWaits& waits) {
  std::vector<RegionOverRanks> out(regions.size());
  Values values;
  for (std::size_t i = 0; i < out.size(); ++i) {
    RegionOverRanks& region = out[i];
    region.path = regions.PathTo(i);
    region.parent = regions.parent(i);
    const Places places = PlacesOf(regions, i);
    const auto sum_up = [&](std::uint64_t RankRegion::*field) {
      for (const auto& [record, node] : places)
        values.Add(record, static_cast<double>(
                               ranks.records[record].regions[node].*field));
      return values.Take();
    };
    region.wall = sum_up(&RankRegion::wall_ns);
    region.compute = sum_up(&RankRegion::compute_ns);
    region.overlapped = sum_up(&RankRegion::overlapped_ns);
    region.exposed = sum_up(&RankRegion::exposed_ns);
    region.copies = sum_up(&RankRegion::copy_ns);
    region.idle = sum_up(&RankRegion::idle_ns);
    const OverRanks kernels = sum_up(&RankRegion::kernels);
    region.min_kernels = static_cast<std::uint64_t>(kernels.min);
    region.max_kernels = static_cast<std::uint64_t>(kernels.max);
    const auto of_waits = [&](const auto& sums) -> std::optional<OverRanks> {
      for (const auto& [record, node] : places) {
        if (sums[record][node]) values.Add(record, *sums[record][node]);
      }
      if (values.empty()) return std::nullopt;
      return values.Take();
    };
    region.waiting = of_waits(waits.waiting_ns);
    region.transfer = of_waits(waits.transfer_ns);
  }
  return out;
}

}  // namespace rangefinder
