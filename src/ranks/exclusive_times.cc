#include "ranks/exclusive_times.h"

#include <algorithm>
#include <utility>

namespace rangefinder {
namespace {

double Number(std::uint64_t number) {
  return static_cast<double>(number);
}

}  // namespace

// Nodes are in depth-first order: the subtree follows its top, and the next
// node has a parent before `top`.
std::size_t NodesFrom(const RankTree& tree, std::size_t top) {
  std::size_t end = top + 1;
  while (end < tree.nodes.size() && tree.nodes[end].parent >= top) ++end;
  return top == 0 ? tree.nodes.size() : end - top;
}

std::vector<ExclusiveTimes> ExclusiveTimesOf(
    const RankRecord& record, const RankTree& tree,
    const std::vector<std::optional<double>>& waiting_ns,
    const std::vector<std::uint32_t>& collectives, std::size_t top,
    std::uint64_t instances) {
  const std::size_t count = NodesFrom(tree, top);
  const double scale = 1 / Number(instances);
  std::vector<ExclusiveTimes> times(count);
  for (std::size_t i = 0; i < count; ++i) {
    const RankRegion& region = record.regions[top + i];
    const double exposed = Number(region.exposed_ns);
    const ExclusiveTimes own{
        .compute_ns = Number(region.compute_ns + region.overlapped_ns) * scale,
        .copy_ns = Number(region.copy_ns) * scale,
        .idle_ns = Number(region.idle_ns) * scale,
        .wall_ns = Number(region.wall_ns) * scale,
        .transfer_ns =
            (exposed - std::min(exposed, waiting_ns[top + i].value_or(0))) *
            scale,
        .latency_ns = Number(region.latency_ns) * scale,
        .kernels = Number(region.kernels) * scale};
    const auto add = [&](ExclusiveTimes& to, double times_one) {
      to.compute_ns += times_one * own.compute_ns;
      to.copy_ns += times_one * own.copy_ns;
      to.idle_ns += times_one * own.idle_ns;
      to.wall_ns += times_one * own.wall_ns;
      to.transfer_ns += times_one * own.transfer_ns;
      to.latency_ns += times_one * own.latency_ns;
      to.kernels += times_one * own.kernels;
    };
    add(times[i], 1);
    times[i].sm_clock_hz = region.sm_clock_hz;
    times[i].kernels -= Number(collectives[top + i]) * scale;
    if (i > 0) add(times[tree.nodes[top + i].parent - top], -1);
  }
  return times;
}

}  // namespace rangefinder
