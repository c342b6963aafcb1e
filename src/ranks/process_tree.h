// The regions of one process as a RankTree, which is equal for processes with
// equal regions in any order; and the places of its launches in that tree.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "profile/rank_record.h"
#include "region/tree.h"

namespace rangefinder {

// ---- Activities ------------------------------------------------------------

// The activities of a profile by process: kernels with their regions, copies,
// and the times of regions from a trace.

// The region of a kernel is the innermost region of its launch.
template <typename Work>
struct Placed {
  const Work* work = nullptr;
  RegionId region{};
};

struct ProcessActivities {
  ProcessId process{};
  std::vector<Placed<Measurement>> kernels{};  // with times, by start
  std::vector<const CopyActivity*> copies{};   // by start
  std::vector<Placed<RangeVisits>> visits{};
  std::vector<Placed<RegionUse>> uses{};

  bool empty() const { return kernels.empty() && visits.empty(); }
};

// By ProcessId. Further runs of the program (Process::run) have no activities.
// Kernels that regions.kernels leaves out are included: they kept the GPU busy.
std::vector<ProcessActivities> ActivitiesOf(const Profile& profile,
                                            const RegionTree& tree);

struct ProcessTree {
  RankTree tree{};
  std::unordered_map<RegionId, std::uint32_t> nodes{};

  // 0, the run, for a region that the process did not enter.
  std::uint32_t NodeOf(RegionId region) const {
    const auto at = nodes.find(region);
    return at == nodes.end() ? 0 : at->second;
  }
};

ProcessTree TreeOf(const Profile& profile, const RegionTree& tree,
                   const ProcessActivities& activities);

// An open region, and the number of its instance.
struct OpenNode {
  std::uint32_t node = 0;      // of the ProcessTree, never 0
  std::uint32_t instance = 0;  // unique over all nodes
};

// Finds the open regions of launches: once for all launches of one NVTX state
// and thread.
class ActivityPlaces {
 public:
  ActivityPlaces(const Profile& profile, const RegionTree& tree,
                 const ProcessTree& process_tree)
      : profile_(profile), tree_(tree), process_tree_(process_tree) {}

  // The open regions, outermost first; empty: outside all regions. Uses
  // process, thread and NVTX state of `m`; without `region`, finds the region
  // too. Valid until the next call.
  const std::vector<OpenNode>& Of(const Measurement& m,
                                  std::optional<RegionId> region);

  // The number of instances so far.
  std::size_t instances() const { return instances_.size(); }

 private:
  using State = std::pair<std::uint64_t, std::uint64_t>;  // NVTX state, thread
  struct PairHash {
    std::size_t operator()(const State& key) const {
      return std::hash<std::uint64_t>{}((key.first * 0x9E3779B97F4A7C15U) ^
                                        key.second);
    }
  };
  template <typename Value>
  using ByPair = std::unordered_map<State, Value, PairHash>;

  std::vector<OpenNode> Find(const Measurement& m,
                             std::optional<RegionId> region);
  OpenNode Opened(RegionId region, std::uint64_t execution);

  const Profile& profile_;
  const RegionTree& tree_;
  const ProcessTree& process_tree_;
  ByPair<std::vector<OpenNode>> places_;  // by state and thread
  ByPair<std::uint32_t> instances_;       // by node and execution
  State last_state_{};
  const std::vector<OpenNode>* last_ = nullptr;  // of that state
};

}  // namespace rangefinder
