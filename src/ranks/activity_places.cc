#include "ranks/activity_places.h"

#include <algorithm>

#include "region/path.h"

namespace rangefinder {

const std::vector<OpenNode>& ActivityPlaces::Of(
    const Measurement& m, std::optional<RegionId> region) {
  const State state{Index(m.nvtx), m.thread};
  // What runs follows in its state, mostly.
  if (last_ != nullptr && last_state_ == state) return *last_;
  const auto [place, is_new] = places_.try_emplace(state);
  if (is_new) place->second = Find(m, region);
  last_state_ = state;
  last_ = &place->second;
  return *last_;
}

// The tree leaves frames out of paths (regions.domains), and never changes
// their order.
std::vector<OpenNode> ActivityPlaces::Find(const Measurement& m,
                                           std::optional<RegionId> region) {
  std::vector<RegionId> around;
  for (RegionId at = region.value_or(RegionTree::kRoot);
       at != RegionTree::kRoot; at = tree_[at].parent)
    around.push_back(at);
  std::ranges::reverse(around);
  std::vector<OpenNode> open;
  RegionId at = RegionTree::kRoot;
  for (const Frame& frame : PathOf(profile_, m)) {
    const auto next = tree_.Find(at, frame);
    if (!next) continue;
    if (region &&
        (open.size() == around.size() || *next != around[open.size()]))
      continue;
    open.push_back(Opened(*next, frame.execution));
    at = *next;
  }
  return open;
}

OpenNode ActivityPlaces::Opened(RegionId region, std::uint64_t execution) {
  const std::uint32_t node = process_tree_.NodeOf(region);
  const auto number = static_cast<std::uint32_t>(instances_.size());
  return {node,
          instances_.try_emplace({node, execution}, number).first->second};
}

}  // namespace rangefinder
