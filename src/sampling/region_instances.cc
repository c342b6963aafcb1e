#include "sampling/region_instances.h"

#include <algorithm>

namespace rangefinder {
namespace {

// The frame of a region in a path. A path is longer than the tree's if frames
// were left out of the tree. Null: the path lacks the frame.
const Frame* FrameIn(const Region& region, std::span<const Frame> path) {
  for (auto i = static_cast<std::size_t>(std::max(region.depth, 0));
       i < path.size(); ++i) {
    if (path[i] == region.frame) return &path[i];
  }
  return nullptr;
}

}  // namespace

RegionInstances::RegionInstances(const Profile& profile, const RegionTree& tree,
                                 const SampledLaunches& launches,
                                 std::span<const RegionId> regions)
    : profile_(profile), tree_(tree), launches_(launches) {
  for (const RegionId region : regions) regions_[region];
  for (std::size_t l = 0; l < launches.regions.size(); ++l) Add(l);
}

void RegionInstances::Add(std::size_t l) {
  if (launches_.regions[l] == kNotInTree) return;
  const PlaceKey key{launches_.states[l], launches_.threads[l],
                     launches_.regions[l]};
  // Launches of one instance follow each other.
  if (last_ == nullptr || last_->first != key) {
    const auto [at, is_new] = places_.try_emplace(key);
    if (is_new) at->second = PlacesOf(l);
    last_ = &*at;
  }
  for (const auto& [region, instance] : last_->second) {
    ++(instance != nullptr ? region->matched : region->unmatched);
    if (instance != nullptr)
      instance->query.launches.push_back(static_cast<std::uint32_t>(l));
  }
}

std::vector<RegionInstances::Place> RegionInstances::PlacesOf(std::size_t l) {
  std::vector<Place> places;
  std::vector<Frame> path;
  for (RegionId at = launches_.regions[l]; at != RegionTree::kRoot;
       at = tree_[at].parent) {
    const auto known = regions_.find(at);
    if (known == regions_.end()) continue;
    if (path.empty())
      path = PathOf(profile_, {.process = launches_.processes[l],
                               .thread = launches_.threads[l],
                               .nvtx = launches_.states[l]});
    InstancesOfRegion& of = known->second;
    RegionInstance* instance = nullptr;
    if (const Frame* frame = FrameIn(tree_[at], path)) {
      instance = &of.instances[{launches_.processes[l], frame->execution}];
      instance->given = frame->given;
    }
    places.emplace_back(&of, instance);
  }
  return places;
}

}  // namespace rangefinder
