// The regions of one name, wherever they are in the tree: `forward` of every
// step, `layer_0` under each.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "region/tree.h"
#include "rollup/rollup.h"
#include "rollup/tally.h"

namespace rangefinder {

// Which regions share their name and domain with another.
class NameGroups {
 public:
  explicit NameGroups(const RegionTree& tree);

  struct Group {
    Frame frame{};
    std::vector<RegionId> regions{};  // all of the name, in the tree's order
  };
  const std::vector<Group>& groups() const { return groups_; }

  // The group that what is inside `id` counts for: none where the name is
  // another's alone, and none inside a region of the same name, whose kernels
  // count there already.
  std::optional<std::size_t> CountedIn(RegionId id) const;

 private:
  std::vector<Group> groups_;
  std::vector<std::optional<std::size_t>> counted_in_;  // by RegionId
};

// Adds up the groups of one scope, a region at a time.
class NameTallies {
 public:
  NameTallies(const NameGroups& groups, const Plan& plan);

  // `inclusive` is all of region `id`.
  void Add(RegionId id, const Tally& inclusive);
  // By time, most first; names without a measurement are left out.
  std::vector<NameRow> Finish();

 private:
  const NameGroups& groups_;
  const Plan& plan_;
  std::vector<std::optional<Tally>> tallies_;  // by group
};

}  // namespace rangefinder
