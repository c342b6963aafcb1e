// Where in a process's tree of regions a launch was, and in which execution of
// each of them: found once for all launches of one NVTX state and thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "ranks/process_tree.h"
#include "region/tree.h"

namespace rangefinder {

// A region that was open, and which execution of it.
struct OpenNode {
  std::uint32_t node = 0;      // of the ProcessTree, never 0
  std::uint32_t instance = 0;  // a number of its own over all nodes
};

class ActivityPlaces {
 public:
  ActivityPlaces(const Profile& profile, const RegionTree& tree,
                 const ProcessTree& process_tree)
      : profile_(profile), tree_(tree), process_tree_(process_tree) {}

  // Outermost first; empty: outside of all regions. `m` has process, thread and
  // NVTX state; without `region` it is sought. Valid until the next call.
  const std::vector<OpenNode>& Of(const Measurement& m,
                                  std::optional<RegionId> region);

  // How many executions have a number by now.
  std::size_t instances() const { return instances_.size(); }

 private:
  using State = std::pair<std::uint64_t, std::uint64_t>;  // and its thread
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
