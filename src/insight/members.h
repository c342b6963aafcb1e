// The ranges of a region whose names differ by a counter (region/merge.h): what
// each was called, and what it took.

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
  std::optional<std::uint64_t> cpu_ns{};  // where a trace saw it on the CPU
};

// In the order of time, as far as it is known. None where nothing is merged.
std::vector<MemberAmounts> MembersOf(const RunView& run, const Scope& scope,
                                     RegionId id);

// The one with the most time on the GPU, or on the CPU where none has any; the
// first of several. Null where no time is known.
const MemberAmounts* SlowestOf(const std::vector<MemberAmounts>& members);

// Names in report.json, most time first; the others are a number.
inline constexpr std::size_t kMostMembers = 64;

}  // namespace rangefinder
