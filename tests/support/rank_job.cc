#include "tests/support/rank_job.h"

#include <algorithm>
#include <functional>
#include <string>

namespace rangefinder::testing {
namespace {

constexpr std::size_t kLate = 2;

RankTree TreeOf(bool has_attention, std::size_t regions) {
  RankTree tree;
  tree.nodes.push_back({.name = "decode", .parent = 0});
  if (has_attention) tree.nodes.push_back({.name = "attention", .parent = 1});
  const auto mlp = static_cast<std::uint32_t>(tree.nodes.size());
  tree.nodes.push_back({.domain = "torch", .name = "layer*.mlp", .parent = 1});
  for (std::size_t i = 0; i < regions; ++i)
    tree.nodes.push_back({.name = "op" + std::to_string(i), .parent = mlp});
  return tree;
}

RankRegion RegionOf(std::size_t rank, std::size_t node, const RankTree& tree) {
  const std::string& name = tree.nodes[node].name;
  RankRegion region{.instances = node == 0 ? 1U : 100U, .kernels = 1000};
  // Ranks differ by a small, known amount.
  region.compute_ns = 100'000'000 + 10'000 * (rank * 7919 % 97);
  if (node < 2) region.compute_ns *= 4;
  if (name == "layer*.mlp" && rank == kLate)
    region.compute_ns += region.compute_ns * 12 / 100;
  if (name.starts_with("op")) region.compute_ns /= 1000 + node;
  region.exposed_ns =
      node < 2 ? 30'000'000 - (rank == kLate ? 9'000'000 : 0) : 0;
  region.overlapped_ns = node < 2 ? 5'000'000 : 0;
  region.idle_ns = region.compute_ns / 50;
  region.wall_ns = region.compute_ns + region.exposed_ns + region.idle_ns;
  region.latency_ns = 4000 * region.kernels;
  if (rank % 2 == 0) region.sm_clock_hz = 1.98e9;
  return region;
}

RankRecord RecordOf(std::size_t rank, std::size_t count,
                    const std::vector<RankTree>& trees) {
  RankRecord record{.rank = static_cast<std::int32_t>(rank),
                    .world = static_cast<std::int32_t>(count),
                    .host = rank < count / 2 ? "node0" : "node1",
                    .pid = 4000 + rank % (count / 2),
                    .devices = {"NVIDIA H200"},
                    .tree = rank + 1 == count ? 1U : 0U};
  const RankTree& tree = trees[record.tree];
  for (std::size_t node = 0; node < tree.nodes.size(); ++node)
    record.regions.push_back(RegionOf(rank, node, tree));
  if (rank == 1) {
    record.lost_collectives = 7;
    record.notes = {"7 collectives were seen and not kept"};
  }
  return record;
}

OverRanks Over(const std::vector<std::pair<double, std::size_t>>& values) {
  auto sorted = values;
  std::ranges::sort(sorted);
  OverRanks over{.ranks = sorted.size(),
                 .min = sorted.front().first,
                 .median = sorted[sorted.size() / 2].first,
                 .max = sorted.back().first,
                 .min_at = sorted.front().second,
                 .max_at = sorted.back().second};
  for (const auto& [value, at] : sorted) over.sum += value;
  return over;
}

using RankValue = std::function<double(const RankRegion&, std::size_t rank)>;

// The values of a node of the first tree over the ranks; -1: the second tree
// lacks the node.
OverRanks OverNode(const Ranks& ranks, std::size_t node, std::int64_t other,
                   const RankValue& value) {
  std::vector<std::pair<double, std::size_t>> values;
  for (std::size_t i = 0; i < ranks.records.size(); ++i) {
    const RankRecord& record = ranks.records[i];
    if (record.tree == 1 && other < 0) continue;
    const std::size_t at =
        record.tree == 1 ? static_cast<std::size_t>(other) : node;
    values.emplace_back(value(record.regions[at], i), i);
  }
  return Over(values);
}

double WaitingOf(const RankRegion& region, std::size_t rank) {
  return region.exposed_ns > 0 && rank != kLate ? 9e6 : 0;
}

void AddRegion(RankJob& job, std::size_t node) {
  const Ranks& ranks = *job.ranks;
  const RankTree& tree = ranks.trees[0];
  const std::int64_t other =
      node < 2 ? static_cast<std::int64_t>(node)
               : static_cast<std::int64_t>(node) - 1 - (node == 2 ? 2 : 0);
  RegionOverRanks region{.parent = tree.nodes[node].parent};
  if (node > 0) {
    region.path = job.analysis->regions[region.parent].path;
    const RankTree::Node& named = tree.nodes[node];
    region.path.push_back(
        named.domain.empty() ? named.name : named.domain + "@" + named.name);
  }
  const auto over = [&](std::uint64_t RankRegion::*field) {
    return OverNode(ranks, node, other, [&](const RankRegion& one, auto) {
      return static_cast<double>(one.*field);
    });
  };
  region.wall = over(&RankRegion::wall_ns);
  region.compute = over(&RankRegion::compute_ns);
  region.overlapped = over(&RankRegion::overlapped_ns);
  region.exposed = over(&RankRegion::exposed_ns);
  region.copies = over(&RankRegion::copy_ns);
  region.idle = over(&RankRegion::idle_ns);
  region.min_kernels = region.max_kernels = 1000;
  if (node < 2) {
    region.waiting = OverNode(ranks, node, other, WaitingOf);
    region.transfer =
        OverNode(ranks, node, other, [](auto&, auto) { return 26e6; });
  }
  job.analysis->regions.push_back(std::move(region));
}

void AddGroups(RankJob& job) {
  const std::size_t last = job.ranks->records.size() - 1;
  RankGroup most{.tree = 0, .typical = 1};
  for (std::size_t i = 0; i < last; ++i) {
    if (i != kLate) most.records.push_back(i);
  }
  job.analysis->groups = {most,
                          {.tree = 0, .records = {kLate}, .typical = kLate},
                          {.tree = 1, .records = {last}, .typical = last}};
}

}  // namespace

RankJob MadeRankJob(std::size_t count) {
  return MadeRankJob(count, 0);
}

RankJob MadeRankJob(std::size_t count, std::size_t regions) {
  RankJob job;
  Ranks& ranks = *job.ranks;
  ranks.trees = {TreeOf(true, regions), TreeOf(false, regions)};
  for (std::size_t i = 0; i < count; ++i)
    ranks.records.push_back(RecordOf(i, count, ranks.trees));
  for (std::size_t node = 0; node < ranks.trees[0].nodes.size(); ++node)
    AddRegion(job, node);
  RankAnalysis& analysis = *job.analysis;
  analysis.late = {{.region = 1,
                    .record = kLate,
                    .instances = 100,
                    .last = 93,
                    .late_ns = 41000,
                    .parts = {{LateReason::kCompute, 3, 38000, 1.12},
                              {LateReason::kUnknown, 0, 3000, 0}}}};
  analysis.slow_network = {{LateReason::kNetwork, 1, 12000, 1.4, {0, 1}, 0.25}};
  analysis.clocks = {{"node0", 0, 0, 0}, {"node1", -51234, 850, 100}};
  AddGroups(job);
  analysis.notes = {"ranks 6 and 7 of 8 left no trace"};
  for (std::size_t i = 0; i < count; ++i) {
    auto& waiting = analysis.waiting_ns.emplace_back();
    const RankRecord& record = ranks.records[i];
    for (std::size_t node = 0; node < record.regions.size(); ++node) {
      waiting.push_back(node < 2
                            ? std::optional(WaitingOf(record.regions[node], i))
                            : std::nullopt);
    }
  }
  return job;
}

}  // namespace rangefinder::testing
