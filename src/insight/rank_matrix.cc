#include "insight/rank_matrix.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "base/lists.h"

namespace rangefinder {
namespace {

// A number of a rank's region; nothing if a damaged record has fewer regions
// than its tree.
template <auto kField>
std::optional<double> Field(const RankRecord& record, std::size_t node) {
  if (node >= record.regions.size()) return std::nullopt;
  return std::optional<double>(record.regions[node].*kField);
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
    {"sm_clock_hz", Field<&RankRegion::sm_clock_hz>},
}};

// The time from the first to the last GPU work of a region, summed over ranks,
// in ns; without GPU work, the time from open to close.
double TimeOverRanks(const RegionOverRanks& region) {
  const double gpu = region.compute.sum + region.overlapped.sum +
                     region.exposed.sum + region.copies.sum + region.idle.sum;
  return gpu > 0 ? gpu : region.wall.sum;
}

// The regions of `chosen`, each before its inner ones, siblings in the order of
// `chosen`.
std::vector<std::size_t> InTreeOrder(const RankAnalysis& analysis,
                                     const std::vector<std::size_t>& chosen) {
  std::vector<std::vector<std::size_t>> children(analysis.regions.size());
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

std::vector<std::size_t> LongestRegions(const RankAnalysis& analysis,
                                        std::size_t most) {
  const auto& regions = analysis.regions;
  if (regions.empty()) return {};
  std::vector<std::size_t> by_time = NumbersBy(
      regions.size(), [&](std::size_t i) { return TimeOverRanks(regions[i]); },
      std::greater<>());
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
      joined_(ranks),
      regions_(LongestRegions(analysis, kMostMatrixRegions)) {
  ChooseRecords();
}

// Of too many ranks, chooses ranks that findings name: late ranks, typical
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

std::size_t RankMatrix::regions_left_out() const {
  return analysis_.regions.size() - regions_.size();
}

std::size_t RankMatrix::records_left_out() const {
  return ranks_.records.size() - records_.size();
}

std::size_t RankMatrix::NodeOf(std::size_t record, std::size_t region) const {
  return joined_.NodeIn(ranks_.records[record], regions_[region]);
}

std::optional<double> RankMatrix::Of(const RankQuantity& quantity,
                                     std::size_t record,
                                     std::size_t region) const {
  const std::size_t node = NodeOf(record, region);
  if (node == JoinedRegions::kNone) return std::nullopt;
  return quantity.of(ranks_.records[record], node);
}

std::optional<double> RankMatrix::Waiting(std::size_t record,
                                          std::size_t region) const {
  const std::size_t node = NodeOf(record, region);
  if (record >= analysis_.waiting_ns.size()) return std::nullopt;
  const auto& waiting = analysis_.waiting_ns[record];
  return node < waiting.size() ? waiting[node] : std::nullopt;
}

}  // namespace rangefinder
