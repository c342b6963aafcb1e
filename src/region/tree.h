// The NVTX regions a profile ran through, and what was measured in each.
//
// Every measurement has exactly one place. One made outside all regions goes to
// a child of the root named kUnattributed, so the measurements of all regions
// together are always the measurements of the profile.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/notes.h"
#include "profile/profile.h"
#include "region/path.h"
#include "region/selection.h"

namespace rangefinder {

enum class RegionId : std::uint32_t {};

// One execution of a region, as far as the measurements in it tell.
struct Execution {
  ProcessId process{};
  std::uint64_t key = 0;     // Frame::execution
  std::int32_t device = -1;  // of a measurement in it
  friend auto operator<=>(const Execution&, const Execution&) = default;
};

// One of the names that are merged into a region, in one process and on one
// device.
struct MemberShare {
  ProcessId process{};
  std::int32_t device = -1;        // -1: of what a trace saw on the CPU
  std::uint64_t kernel_count = 0;  // with those in inner regions
  double gpu_time_ns = 0;
  std::uint64_t visits = 0;  // instances that a trace saw
  std::uint64_t cpu_ns = 0;  // of those that were closed
};

struct Member {
  StringId name{};             // as the program gave it
  std::uint64_t since_ns = 0;  // of its first opening or launch; 0: not known
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
  // Each execution once; one seen in an inner region counts here too.
  std::vector<Execution> executions{};
  // Traces: into Profile::visits and Profile::uses. The root has the uses of
  // whole processes.
  std::vector<std::uint32_t> visits{};
  std::vector<StringId> visit_names{};  // of each, where there are members
  std::vector<std::uint32_t> uses{};
  std::vector<std::uint32_t> traced{};  // into Profile::traced; in no child
  // Of a region whose ranges differ by a counter (region/merge.h): each name,
  // by time, or in order of appearance where no time is known.
  std::vector<Member> members{};
  // What would be in `kernels` and in `traced`, had the selection of kernels
  // not left it out.
  std::vector<MeasurementId> unselected{};
  std::vector<std::uint32_t> unselected_traced{};
};

class RegionTree {
 public:
  static constexpr std::string_view kUnattributed = "(unattributed)";
  static constexpr RegionId kRoot{0};

  RegionTree() : regions_(1) {}

  // The child of `parent` with this frame, made now if it is new.
  RegionId FindOrAdd(RegionId parent, const Frame& frame);
  std::optional<RegionId> Find(RegionId parent, const Frame& frame) const;
  // The region of what was launched outside all ranges, made now if it is new.
  RegionId Unattributed();

  Region& operator[](RegionId id) { return regions_[Index(id)]; }
  const Region& operator[](RegionId id) const { return regions_[Index(id)]; }

  // All regions, each before its children: walk it backwards to sum upwards.
  std::span<const Region> regions() const { return regions_; }

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
};

// Puts every measurement that `selection` keeps in its place. What it leaves
// out is counted in `notes`.
RegionTree BuildRegionTree(const Profile& profile, const Selection& selection,
                           Notes& notes);

}  // namespace rangefinder
