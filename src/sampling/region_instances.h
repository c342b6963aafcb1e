// Assigns launches to instances of regions.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "estimate/estimate.h"
#include "profile/profile.h"
#include "region/path.h"
#include "region/tree.h"
#include "sampling/sampled_launches.h"

namespace rangefinder {

struct RegionInstance {
  RegionQuery query{};  // its launches
  StringId given{};     // the name that the program gave its range
};

struct InstancesOfRegion {
  std::map<std::pair<ProcessId, std::uint64_t>, RegionInstance> instances{};
  std::uint64_t matched = 0;  // launches
  std::uint64_t unmatched = 0;
};

// By region: its launches by instance of the region. Launches of inner regions
// are in the outer regions as well.
class RegionInstances {
 public:
  RegionInstances(const Profile& profile, const RegionTree& tree,
                  const SampledLaunches& launches,
                  std::span<const RegionId> regions);

  const InstancesOfRegion& Of(RegionId region) const {
    return regions_.at(region);
  }

 private:
  // A region, and its instance that a launch belongs to; null: unknown.
  using Place = std::pair<InstancesOfRegion*, RegionInstance*>;
  using PlaceKey = std::tuple<NvtxStateId, std::uint64_t, RegionId>;

  void Add(std::size_t l);
  std::vector<Place> PlacesOf(std::size_t l);

  const Profile& profile_;
  const RegionTree& tree_;
  const SampledLaunches& launches_;
  std::map<RegionId, InstancesOfRegion> regions_;
  std::map<PlaceKey, std::vector<Place>> places_;
  const std::pair<const PlaceKey, std::vector<Place>>* last_ = nullptr;
};

}  // namespace rangefinder
