// The findings that a report shows before any number: at most three, each about
// one region, ranked by the time that would go away without its cause, with a
// next step. There may be none.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/notes.h"
#include "insight/causes.h"

namespace rangefinder {

enum class RegionId : std::uint32_t;
struct RunView;
struct ScopeRollup;

struct Headline {
  RegionId region{};
  // kWarning: other numbers are misleading until this is fixed.
  Severity severity = Severity::kInfo;
  Cause cause{};
  // saves_ns over the wall time of the program's regions, or over their GPU
  // time if no wall time is known; nothing if neither time is known.
  std::optional<double> share{};
};

inline constexpr std::size_t kMostHeadlines = 3;

// "decode: launch-bound, GPU idle 88 %, …; at stake 895 ms (30 %)"; for a
// question "decode: perhaps latency, …".
std::string HeadlineText(const RunView& run, const Headline& headline);

// The causes of a run, by rank and by region.
struct Diagnosis {
  // For the first scope, the largest first: all causes, and the first
  // kMostHeadlines.
  std::vector<Headline> causes{};
  std::vector<Headline> headlines{};
  // By RegionId: the cause that saves most in the region, inner regions
  // included; nothing if there is none.
  std::vector<std::optional<Cause>> main_causes{};

  // Null if there is none, or if causes were not looked for.
  const Cause* MainCause(RegionId id) const;
};

Diagnosis Diagnose(const RunView& run, const CauseTable& causes);

}  // namespace rangefinder
