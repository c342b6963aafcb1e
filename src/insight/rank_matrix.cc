#include "insight/rank_matrix.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace rangefinder {
namespace {

// A number of a rank's region; nothing if a damaged record has fewer regions
// than its tree.
template <std::uint64_t RankRegion::*kField>
std::optional<double> Field(const RankRecord& record, std::size_t node) {
  if (node >= record.regions.size()) return std::nullopt;
  return static_cast<double>(record.regions[node].*kField);
}

std::optional<double> Clock(const RankRecord& record, std::size_t node) {
  if (node >= record.regions.size()) return std::nullopt;
  return record.regions[node].sm_clock_hz;
}

constexpr std::array<RankQuantity, 10> kQuantities = {{
    {"instances", Field<&RankRegion::instances>},
    {"kernels", Field<&RankRegion::kernels>},
    {"wall_ns", Field<&RankRegion::wall_ns>},
    {"compute_ns", Field<&RankRegion::compute_ns>},
    {"overlapped_ns", Field<&RankRegion::overlapped_ns>},
    {"exposed_ns", Field<&RankRegion::exposed_ns>},
    {"copy_ns", Field<&RankRegion::copy_ns>},
    {"idle_ns", Field<&RankRegion::idle_ns>},
    {"latency_ns", Field<&RankRegion::latency_ns>},
    {"sm_clock_hz", Clock},
}};

// In the form of RegionOverRanks::path.
std::string FrameOf(const RankTree::Node& node) {
  return node.domain.empty() ? node.name : node.domain + "@" + node.name;
}

using Children = std::vector<std::vector<std::size_t>>;

// The regions of `chosen`, each before its inner ones, siblings in the order of
// `chosen`.
std::vector<std::size_t> InTreeOrder(const RankAnalysis& analysis,
                                     const std::vector<std::size_t>& chosen) {
  Children children(analysis.regions.size());
  for (const std::size_t region : chosen) {
    if (region != 0)
      children[analysis.regions[region].parent].push_back(region);
  }
  std::vector<std::size_t> order;
  std::vector<std::size_t> stack = {0};
  while (!stack.empty()) {
    const std::size_t region = stack.back();
    stack.pop_back();
    order.push_back(region);
    stack.insert(stack.end(), children[region].rbegin(),
                 children[region].rend());
  }
  return order;
}

}  // namespace

double TimeOverRanks(const RegionOverRanks& region) {
  const double gpu = region.compute.sum + region.overlapped.sum +
                     region.exposed.sum + region.copies.sum + region.idle.sum;
  return gpu > 0 ? gpu : region.wall.sum;
}

std::vector<std::size_t> LongestRegions(const RankAnalysis& analysis,
                                        std::size_t most) {
  const auto& regions = analysis.regions;
  if (regions.empty()) return {};
  std::vector<std::size_t> by_time(regions.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::ranges::stable_sort(by_time, std::greater<>(), [&](std::size_t i) {
    return TimeOverRanks(regions[i]);
  });
  std::vector<bool> is_chosen(regions.size());
  is_chosen[0] = true;
  std::size_t count = 1;
  for (const std::size_t region : by_time) {
    // The outer regions, if there is room for all of them.
    std::vector<std::size_t> around;
    std::size_t at = region;
    while (!is_chosen[at] && count + around.size() < most) {
      around.push_back(at);
      at = regions[at].parent;
    }
    if (!is_chosen[at]) continue;
    for (const std::size_t one : around) is_chosen[one] = true;
    count += around.size();
    if (count >= most) break;
  }
  std::erase_if(by_time, [&](std::size_t i) { return !is_chosen[i]; });
  return InTreeOrder(analysis, by_time);
}

std::span<const RankQuantity> RankQuantities() {
  return kQuantities;
}

RankMatrix::RankMatrix(const Ranks& ranks, const RankAnalysis& analysis)
    : ranks_(ranks),
      analysis_(analysis),
      regions_(LongestRegions(analysis, kMostMatrixRegions)) {
  ChooseRecords();
  const Known known = KnownRegions();
  for (const RankTree& tree : ranks.trees)
    nodes_.push_back(NodesOf(tree, known));
}

// Of too many ranks, chooses those that findings name: late ranks, typical
// ranks of groups, ranks with the smallest and largest numbers.
void RankMatrix::ChooseRecords() {
  const std::size_t count = ranks_.records.size();
  if (count <= kMostMatrixRanks) {
    records_.resize(count);
    std::iota(records_.begin(), records_.end(), std::size_t{0});
    return;
  }
  std::vector<bool> is_chosen(count);
  const auto choose = [&](std::size_t record) {
    if (record >= count || is_chosen[record] ||
        records_.size() == kMostMatrixRanks)
      return;
    is_chosen[record] = true;
    records_.push_back(record);
  };
  for (const LateRank& late : analysis_.late) choose(late.record);
  for (const RankGroup& group : analysis_.groups) choose(group.typical);
  for (const std::size_t i : regions_) {
    const RegionOverRanks& region = analysis_.regions[i];
    for (const OverRanks* over :
         {&region.wall, &region.compute, &region.overlapped, &region.exposed,
          &region.copies, &region.idle}) {
      choose(over->min_at);
      choose(over->max_at);
    }
    if (region.waiting) {
      choose(region.waiting->min_at);
      choose(region.waiting->max_at);
    }
  }
  std::ranges::sort(records_);
}

// Regions of the analysis by outer region and frame.
RankMatrix::Known RankMatrix::KnownRegions() const {
  Known known;
  for (const std::size_t region : regions_) {
    const RegionOverRanks& over = analysis_.regions[region];
    if (region != 0 && !over.path.empty())
      known.emplace(std::pair{over.parent, over.path.back()}, region);
  }
  return known;
}

std::vector<std::optional<std::uint32_t>> RankMatrix::NodesOf(
    const RankTree& tree, const Known& known) const {
  std::map<std::size_t, std::uint32_t> node_of = {{0, 0}};
  std::vector<std::optional<std::size_t>> region_of(tree.nodes.size());
  if (!region_of.empty()) region_of[0] = 0;
  for (std::size_t node = 1; node < tree.nodes.size(); ++node) {
    const auto& parent = region_of[tree.nodes[node].parent];
    if (!parent) continue;
    const auto found = known.find({*parent, FrameOf(tree.nodes[node])});
    if (found == known.end()) continue;
    region_of[node] = found->second;
    node_of.emplace(found->second, static_cast<std::uint32_t>(node));
  }
  std::vector<std::optional<std::uint32_t>> nodes;
  for (const std::size_t region : regions_) {
    const auto found = node_of.find(region);
    nodes.push_back(found == node_of.end() ? std::nullopt
                                           : std::optional(found->second));
  }
  return nodes;
}

std::size_t RankMatrix::regions_left_out() const {
  return analysis_.regions.size() - regions_.size();
}

std::size_t RankMatrix::records_left_out() const {
  return ranks_.records.size() - records_.size();
}

std::optional<std::size_t> RankMatrix::NodeOf(std::size_t record,
                                              std::size_t region) const {
  const std::uint32_t tree = ranks_.records[record].tree;
  if (tree >= nodes_.size() || region >= nodes_[tree].size())
    return std::nullopt;
  const auto& node = nodes_[tree][region];
  return node ? std::optional<std::size_t>(*node) : std::nullopt;
}

std::optional<double> RankMatrix::Of(const RankQuantity& quantity,
                                     std::size_t record,
                                     std::size_t region) const {
  const auto node = NodeOf(record, region);
  return node ? quantity.of(ranks_.records[record], *node) : std::nullopt;
}

std::optional<double> RankMatrix::Waiting(std::size_t record,
                                          std::size_t region) const {
  const auto node = NodeOf(record, region);
  if (!node || record >= analysis_.waiting_ns.size()) return std::nullopt;
  const auto& waiting = analysis_.waiting_ns[record];
  return *node < waiting.size() ? waiting[*node] : std::nullopt;
}

}  // namespace rangefinder
