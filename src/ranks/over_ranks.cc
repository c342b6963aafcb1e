#include "ranks/over_ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "ranks/middle.h"

namespace rangefinder {
namespace {

// The values of one region over ranks.
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

  // Returns the values so far, and starts again.
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

// Integers: a double cannot hold every count of a summary.
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

// The records that have a region, each with the region's node.
Places PlacesOf(const JoinedRegions& regions, std::size_t region) {
  Places places;
  for (const auto& [tree, node] : regions.Nodes(region)) {
    for (const std::size_t record : regions.RecordsOf(tree))
      places.emplace_back(record, node);
  }
  // Records of one tree are sorted already.
  if (regions.Nodes(region).size() > 1) std::ranges::sort(places);
  return places;
}

// ---- Groups ----------------------------------------------------------------

// Times are similar if they differ by less than this share of the larger time,
// or of the rank's whole time.
constexpr double kAlike = 0.05;
constexpr double kAlikeOfAll = 0.01;
// A limit per tree keeps the time linear in ranks. Further ranks join the
// nearest group.
constexpr std::size_t kMostGroups = 32;
constexpr std::size_t kMostRegions = 16;

// Exposed communication of the run, and compute times of the run and of its
// outermost regions.
std::vector<double> TimesOf(const RankRecord& record, const RankTree& tree) {
  const auto number = [](std::uint64_t ns) { return static_cast<double>(ns); };
  std::vector<double> times{number(record.regions[0].exposed_ns)};
  for (std::size_t i = 0; i < record.regions.size(); ++i) {
    if (times.size() > kMostRegions + 1) break;
    if (tree.nodes[i].parent != 0) continue;
    const RankRegion& region = record.regions[i];
    times.push_back(number(region.compute_ns + region.overlapped_ns));
  }
  return times;
}

// At most 1 for similar ranks.
double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  const double all = std::max({a[0] + a[1], b[0] + b[1], 1.0});
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double allowed =
        std::max(kAlike * std::max(a[i], b[i]), kAlikeOfAll * all);
    most = std::max(most, std::abs(a[i] - b[i]) / allowed);
  }
  return most;
}

struct Leader {
  std::size_t group = 0;
  std::vector<double> times{};
};

}  // namespace

std::vector<RegionOverRanks> RegionsOverRanks(const Ranks& ranks,
                                              const JoinedRegions& regions,
                                              const RegionWaits& waits) {
  std::vector<RegionOverRanks> out(regions.size());
  Values wall, compute, overlapped, exposed, copies, idle;
  Values waiting, transfer;
  for (std::size_t i = 0; i < out.size(); ++i) {
    LaunchRange launches;
    // Each record is read once per region: all records exceed a CPU cache.
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

std::vector<RankGroup> GroupsOf(const Ranks& ranks) {
  std::vector<RankGroup> groups;
  std::vector<std::vector<Leader>> leaders(ranks.trees.size());
  std::vector<double> compute;
  for (std::size_t r = 0; r < ranks.records.size(); ++r) {
    const RankRecord& record = ranks.records[r];
    std::vector<double> times = TimesOf(record, ranks.trees[record.tree]);
    compute.push_back(times[1]);
    std::vector<Leader>& known = leaders[record.tree];
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const Leader& leader : known) {
      const double distance = Distance(leader.times, times);
      if (distance >= least) continue;
      least = distance;
      nearest = leader.group;
      if (distance <= 1) break;
    }
    if (least > 1 && known.size() < kMostGroups) {
      nearest = groups.size();
      known.push_back({nearest, std::move(times)});
      groups.push_back({.tree = record.tree});
    }
    groups[nearest].records.push_back(r);
  }
  for (RankGroup& group : groups) {
    std::vector<std::size_t> sorted = group.records;
    const auto middle =
        sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::ranges::nth_element(sorted, middle, {}, [&](std::size_t r) {
      return std::pair(compute[r], r);
    });
    group.typical = *middle;
  }
  return groups;
}

}  // namespace rangefinder
