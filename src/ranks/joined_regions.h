// The regions of all trees in one list: equal paths are one region.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profile/rank_record.h"

namespace rangefinder {

class JoinedRegions {
 public:
  explicit JoinedRegions(const Ranks& ranks);

  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t size() const { return parents_.size(); }
  // Less than `region`; 0 for region 0, the run.
  std::size_t parent(std::size_t region) const { return parents_[region]; }
  std::vector<std::string> PathTo(std::size_t region) const;

  std::size_t Of(const RankRecord& record, std::size_t node) const {
    return of_[record.tree][node];
  }
  // The node of a region in the tree of a record; kNone: the tree lacks it.
  std::size_t NodeIn(const RankRecord& record, std::size_t region) const;
  // The trees that have a region, each with the region's node.
  const std::vector<std::pair<std::size_t, std::size_t>>& Nodes(
      std::size_t region) const {
    return nodes_[region];
  }
  // The records of a tree, in order.
  const std::vector<std::size_t>& RecordsOf(std::size_t tree) const {
    return records_[tree];
  }

 private:
  std::vector<std::size_t> parents_{};
  std::vector<std::string> frames_{};
  std::vector<std::vector<std::size_t>> of_{};  // by tree and node
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> nodes_{};
  std::vector<std::vector<std::size_t>> records_{};
};

}  // namespace rangefinder
