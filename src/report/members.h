// The ranges of a region whose names differ by a counter (region/merge.h): what
// each was called, and what it took.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "report/json_stream.h"
#include "report/report.h"

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
std::vector<MemberAmounts> MembersOf(const Report& report, const Scope& scope,
                                     RegionId id);

// The one with the most time on the GPU, or on the CPU where none has any; the
// first of several. Null where no time is known.
const MemberAmounts* SlowestOf(const std::vector<MemberAmounts>& members);

// How many a document has, from the first on; the rest is a number.
inline constexpr std::size_t kMostMembers = 64;

// The field `merged`, which is there only where something is.
void WriteMembersJson(JsonStream& json, const Report& report,
                      const Scope& scope, RegionId id);
// A sentence, and a table.
void WriteMembersMarkdown(std::ostream& out, const Report& report,
                          const Scope& scope, RegionId id);
// The same as lines of plain text, safe to print; empty where nothing is
// merged.
std::string MembersText(const Report& report, const Scope& scope, RegionId id);

}  // namespace rangefinder
