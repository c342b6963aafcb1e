// The tree of NVTX regions of a profile, with the measurements of each region.
//
// Every measurement has exactly one place. Measurements outside all regions
// belong to the child kUnattributed of the root, so that the measurements of
// all regions together are the measurements of the profile.

#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/lists.h"
#include "base/notes.h"
#include "profile/profile.h"
#include "profile/value.h"
#include "region/path.h"
#include "region/selection.h"

namespace rangefinder {

enum class RegionId : std::uint32_t {};

// One execution of a region, from the measurements in it.
struct Execution {
  ProcessId process{};
  std::uint64_t key = 0;     // Frame::execution
  std::int32_t device = -1;  // of a measurement in it
  friend auto operator<=>(const Execution&, const Execution&) = default;
};

// The share of one process and device in a Member.
struct MemberShare {
  ProcessId process{};
  std::int32_t device = -1;        // -1: the CPU times of a trace
  std::uint64_t kernel_count = 0;  // with inner regions
  double gpu_time_ns = 0;
  std::uint64_t visits = 0;  // instances in a trace
  std::uint64_t cpu_ns = 0;  // of closed instances
};

// One of the names that were merged into a region.
struct Member {
  StringId name{};             // as the program gave it
  std::uint64_t since_ns = 0;  // first opening or launch; 0: unknown
  std::vector<MemberShare> shares{};
  std::vector<Execution> executions{};  // as of Region
};

struct Region {
  Frame frame{};  // of the root and of (unattributed): empty
  RegionId parent{};
  std::int32_t depth = -1;  // 0: a root region; -1: the root of the tree
  bool unattributed = false;
  std::vector<RegionId> children{};      // in order of first appearance
  std::vector<MeasurementId> kernels{};  // launched here and in no child
  std::vector<MeasurementId> ranges{};   // measured over this region as a whole
  // Each execution once, including executions without measurements of their
  // own.
  std::vector<Execution> executions{};
  // Traces: into Profile::visits and Profile::uses. The root has the uses of
  // whole processes.
  std::vector<std::uint32_t> visits{};
  std::vector<StringId> visit_names{};  // of `visits`, where there are members
  std::vector<std::uint32_t> uses{};
  std::vector<std::uint32_t> traced{};  // into Profile::traced; in no child
  // The names of merged ranges (region/merged_names.h), by time; in order of
  // appearance where a time is unknown.
  std::vector<Member> members{};
  // Members of `kernels` and `traced` that the selection of kernels left out.
  std::vector<MeasurementId> unselected{};
  std::vector<std::uint32_t> unselected_traced{};
};

// The launches in regions that the selection leaves out; taken from the
// baseline run if there is one.
struct RestOfRun {
  std::uint64_t launches = 0;
  double gpu_ns = 0;
  double share = 0;  // of the run's GPU time; of its launches without times
};
// "rest of the run: 3 launches, 1.20 ms of GPU time, 12.0 %"
std::string RestText(const RestOfRun& rest);

class RegionTree {
 public:
  static constexpr std::string_view kUnattributed = rangefinder::kUnattributed;
  static constexpr RegionId kRoot{0};

  RegionTree() : regions_(1) {}

  // The child of `parent` with this frame; made if it is new.
  RegionId FindOrAdd(RegionId parent, const Frame& frame);
  std::optional<RegionId> Find(RegionId parent, const Frame& frame) const;
  // The region of launches outside all ranges; made if it is new.
  RegionId Unattributed();

  Region& operator[](RegionId id) { return regions_[Index(id)]; }
  const Region& operator[](RegionId id) const { return regions_[Index(id)]; }

  // Whether `inner` is `outer` or a region inside it.
  bool IsInside(RegionId inner, RegionId outer) const {
    while (inner != kRoot && inner != outer) inner = (*this)[inner].parent;
    return inner == outer;
  }

  // All regions, parents before children.
  std::span<const Region> regions() const { return regions_; }

  // Nothing if no launch is left out.
  const std::optional<RestOfRun>& rest() const { return rest_; }
  void SetRest(const RestOfRun& rest) { rest_ = rest; }

  // The frames from the root region to `id`; empty for (unattributed).
  std::vector<Frame> PathTo(RegionId id) const;

 private:
  struct ChildKey {
    RegionId parent{};
    StringId domain{};
    StringId name{};
    friend bool operator==(const ChildKey&, const ChildKey&) = default;
  };
  struct ChildHash {
    std::size_t operator()(const ChildKey& key) const;
  };

  std::vector<Region> regions_;  // by RegionId
  std::unordered_map<ChildKey, RegionId, ChildHash> children_;
  std::optional<RegionId> unattributed_;
  std::optional<RestOfRun> rest_;
};

// Puts every measurement that `selection` keeps in its place; counts the others
// in `notes`.
RegionTree BuildRegionTree(const Profile& profile, const Selection& selection,
                           Notes& notes);

// The places of `rows` sorted by process, stable: the order of Region::visits
// and Region::uses.
template <typename Row>
std::vector<std::uint32_t> ByProcess(const std::vector<Row>& rows) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  SortBy(order, [&](std::uint32_t i) { return rows[i].process; });
  return order;
}

// The rows of `process` among `places`, which are in the order of ByProcess().
// A binary search, since a job may have thousands of processes.
template <typename Row>
std::span<const std::uint32_t> OfProcess(
    const std::vector<std::uint32_t>& places, const std::vector<Row>& rows,
    ProcessId process) {
  const auto of = [&](std::uint32_t i) { return rows[i].process; };
  return {std::ranges::lower_bound(places, process, {}, of),
          std::ranges::upper_bound(places, process, {}, of)};
}

}  // namespace rangefinder
