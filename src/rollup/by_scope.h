// The measurements of each region by scope, so that a scope costs no search of
// all measurements.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder {

// One list of every region; its elements are places in a list of measurements.
template <typename Id>
class ByScope {
 public:
  ByScope(const RegionTree& tree, std::vector<Id> Region::*list,
          const std::vector<Measurement>& measurements)
      : tree_(tree), list_(list) {
    for (std::size_t i = 0; i < tree.regions().size(); ++i) {
      for (const Id id : tree.regions()[i].*list) {
        const Measurement& m = measurements[static_cast<std::size_t>(id)];
        Part& part = parts_[{m.process, m.device}];
        if (part.regions.empty() || part.regions.back() != i) {
          part.regions.push_back(i);
          part.begins.push_back(part.ids.size());
        }
        part.ids.push_back(id);
      }
    }
  }

  // Adds the regions with elements of the scope, by RegionId, to `regions`.
  void AddRegions(const Scope& scope, std::set<std::size_t>& regions) const {
    if (scope.aggregate) {
      for (std::size_t i = 0; i < tree_.regions().size(); ++i) {
        if (!(tree_.regions()[i].*list_).empty()) regions.insert(i);
      }
    } else if (const auto found = parts_.find({scope.process, scope.device});
               found != parts_.end()) {
      const auto& own = found->second.regions;
      regions.insert(own.begin(), own.end());
    }
  }

  // In the order of the region's list.
  std::span<const Id> Of(const Scope& scope, RegionId region) const {
    if (scope.aggregate) return tree_[region].*list_;
    const auto found = parts_.find({scope.process, scope.device});
    if (found == parts_.end()) return {};
    const Part& part = found->second;
    const auto at = std::ranges::lower_bound(part.regions, Index(region));
    if (at == part.regions.end() || *at != Index(region)) return {};
    const auto place = static_cast<std::size_t>(at - part.regions.begin());
    const std::size_t end = place + 1 < part.begins.size()
                                ? part.begins[place + 1]
                                : part.ids.size();
    return std::span(part.ids).subspan(part.begins[place],
                                       end - part.begins[place]);
  }

 private:
  // A part of the aggregate: one process on one device.
  struct Part {
    std::vector<std::size_t> regions{};  // with elements, ascending
    std::vector<std::size_t> begins{};   // of each region, into `ids`
    std::vector<Id> ids{};
  };

  const RegionTree& tree_;
  std::vector<Id> Region::*list_;
  std::map<std::pair<ProcessId, std::int32_t>, Part> parts_;
};

// Adds all outer regions of `regions`.
inline void AddOuter(const RegionTree& tree, std::set<std::size_t>& regions) {
  for (const std::size_t inner : std::vector(regions.begin(), regions.end())) {
    RegionId at = static_cast<RegionId>(inner);
    while (at != RegionTree::kRoot) {
      at = tree[at].parent;
      if (!regions.insert(Index(at)).second) break;
    }
  }
}

}  // namespace rangefinder
