// What one rank did in a region and those inside it, each without its inner
// ones, by instance of one of them or of one around them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profile/rank_record.h"

namespace rangefinder {

struct ExclusiveTimes {
  double compute_ns = 0;  // with what communication overlapped
  double copy_ns = 0;
  double idle_ns = 0;
  double wall_ns = 0;
  double transfer_ns = 0;  // exposed communication without its waiting
  double latency_ns = 0;
  double kernels = 0;  // without those of communication
  std::optional<double> sm_clock_hz{};
};

// How many nodes a node and all inside it are; they follow it.
std::size_t NodesFrom(const RankTree& tree, std::size_t top);

// Of the node `top` of the record's tree and all inside it, by
// so many instances, which are not 0. By node: `waiting_ns`, and `collectives`,
// which were launched in it and in no inner one.
std::vector<ExclusiveTimes> ExclusiveTimesOf(
    const RankRecord& record, const RankTree& tree,
    const std::vector<std::optional<double>>& waiting_ns,
    const std::vector<std::uint32_t>& collectives, std::size_t top,
    std::uint64_t instances);

}  // namespace rangefinder
