// The regions that one process went through, in the order of a RankTree: equal
// for equal processes, whatever came first in which.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "profile/rank_record.h"
#include "ranks/process_activities.h"
#include "region/tree.h"

namespace rangefinder {

struct ProcessTree {
  RankTree tree{};
  std::unordered_map<std::uint32_t, std::uint32_t> nodes{};  // by RegionId

  // 0, the whole, of a region that it did not go through.
  std::uint32_t NodeOf(RegionId region) const {
    const auto at = nodes.find(static_cast<std::uint32_t>(region));
    return at == nodes.end() ? 0 : at->second;
  }
};

ProcessTree TreeOf(const Profile& profile, const RegionTree& tree,
                   const ProcessActivities& activities);

// Puts equal trees into one list.
class TreeList {
 public:
  // The index of `tree` in trees(), where it is now if it is new.
  std::uint32_t Add(RankTree tree);
  std::vector<RankTree> Take() { return std::move(trees_); }

 private:
  std::vector<RankTree> trees_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

}  // namespace rangefinder
