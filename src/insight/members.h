// The merged ranges of a region, whose names differ by a counter
// (region/merged_names.h): their names and times.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "insight/run_view.h"

namespace rangefinder {

// One name, in one scope, inner regions included.
struct MemberAmounts {
  StringId name{};  // as the program gave it
  std::uint64_t instances = 0;
  std::uint64_t kernel_count = 0;
  double gpu_time_ns = 0;
  std::optional<std::uint64_t> cpu_ns{};  // if a trace has its CPU times
};

// In order of first appearance in time, if that is known. Empty if nothing is
// merged.
std::vector<MemberAmounts> MembersOf(const RunView& run, const Scope& scope,
                                     RegionId id);

// The member with the most GPU time, or CPU time if none has GPU time; the
// first of equals. Null if no time is known.
const MemberAmounts* SlowestOf(const std::vector<MemberAmounts>& members);

// Most names in report.json: the names with the most time. The others are only
// counted.
inline constexpr std::size_t kMostMembers = 64;

}  // namespace rangefinder
