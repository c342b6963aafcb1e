#include "ranks/over_ranks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
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

  void Add(std::size_t record, std::uint64_t value) {
    Add(record, static_cast<double>(value));
  }
  void Add(std::size_t record, const std::optional<double>& value) {
    if (value) Add(record, *value);
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

// Whole numbers: a double does not hold all that a summary can say.
struct LaunchRange {
  std::uint64_t min = 0, max = 0;
  bool any = false;

  void Add(std::uint64_t launches) {
    min = any ? std::min(min, launches) : launches;
    max = std::max(max, launches);
    any = true;
  }
};

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

// The records that have a region, and the node that it is in each.
Places PlacesOf(const JoinedRegions& regions, std::size_t region) {
  Places places;
  for (const auto& [tree, node] : regions.Nodes(region)) {
    for (const std::size_t record : regions.RecordsOf(tree))
      places.emplace_back(record, node);
  }
  // Those of one tree are in order.
  if (regions.Nodes(region).size() > 1) std::ranges::sort(places);
  return places;
}

}  // namespace

std::vector<RegionOverRanks> RegionsOverRanks(const Ranks& ranks,
                                              const JoinedRegions& regions,
                                              const RegionWaits& waits) {
  std::vector<RegionOverRanks> out(regions.size());
  Values wall, compute, overlapped, exposed, copies, idle;
  Values waiting, transfer;
  for (std::size_t i = 0; i < out.size(); ++i) {
    LaunchRange launches;
    // A record is looked at once: all of them do not fit into a cache.
    for (const auto& [record, node] : PlacesOf(regions, i)) {
      const RankRegion& of = ranks.records[record].regions[node];
      wall.Add(record, of.wall_ns);
      compute.Add(record, of.compute_ns);
      overlapped.Add(record, of.overlapped_ns);
      exposed.Add(record, of.exposed_ns);
      copies.Add(record, of.copy_ns);
      idle.Add(record, of.idle_ns);
      launches.Add(of.kernels);
      waiting.Add(record, waits.waiting_ns[record][node]);
      transfer.Add(record, waits.transfer_ns[record][node]);
    }
    RegionOverRanks& region = out[i];
    region.path = regions.PathTo(i);
    region.parent = regions.parent(i);
    region.wall = wall.Take();
    region.compute = compute.Take();
    region.overlapped = overlapped.Take();
    region.exposed = exposed.Take();
    region.copies = copies.Take();
    region.idle = idle.Take();
    region.min_kernels = launches.min;
    region.max_kernels = launches.max;
    if (!waiting.empty()) region.waiting = waiting.Take();
    if (!transfer.empty()) region.transfer = transfer.Take();
  }
  return out;
}

}  // namespace rangefinder
