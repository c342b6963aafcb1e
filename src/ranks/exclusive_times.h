// The exclusive times of one rank in a region and the regions inside it, per
// instance.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profile/rank_record.h"

namespace rangefinder {

struct ExclusiveTimes {
  double compute_ns = 0;  // overlapped compute included
  double copy_ns = 0;
  double idle_ns = 0;
  double wall_ns = 0;
  double transfer_ns = 0;  // exposed communication without its waiting
  double latency_ns = 0;
  double kernels = 0;  // without communication kernels
  std::optional<double> sm_clock_hz{};
};

// The number of nodes of the subtree at `top`; they follow each other.
std::size_t NodesFrom(const RankTree& tree, std::size_t top);

// The times of the subtree at `top` of the record's tree, divided by
// `instances`, which is not 0. `waiting_ns` and `collectives` are by node;
// collectives count in their innermost region.
std::vector<ExclusiveTimes> ExclusiveTimesOf(
    const RankRecord& record, const RankTree& tree,
    const std::vector<std::optional<double>>& waiting_ns,
    const std::vector<std::uint32_t>& collectives, std::size_t top,
    std::uint64_t instances);

}  // namespace rangefinder
