#include "ranks/rank_groups.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace rangefinder {
namespace {

// Times are alike that differ by less than a part of the larger, or of all.
constexpr double kAlike = 0.05;
constexpr double kAlikeOfAll = 0.01;
// So that it is linear in ranks: of one tree. What is like none of these joins
// the nearest.
constexpr std::size_t kMostGroups = 32;
constexpr std::size_t kMostRegions = 16;

// Compute of the whole and of its outermost regions, and what is exposed of
// communication.
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

// 1 at the edge of what is alike.
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
