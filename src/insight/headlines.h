// Findings that a reader should know before any number: at most three, each of
// one region, ranked by the time that goes away without its cause, with a step
// to take next. No finding is an answer, too.

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
  // kWarning: other numbers mislead as long as this is so.
  Severity severity = Severity::kInfo;
  Cause cause{};
  // saves_ns of the wall time of the program's regions, or of their GPU time
  // where no wall time is known; nothing where neither is.
  std::optional<double> share{};
};

inline constexpr std::size_t kMostHeadlines = 3;

// "decode: launch-bound, GPU idle 88 %, …; at stake 895 ms (30 %)"; of a
// question "decode: perhaps latency, …".
std::string HeadlineText(const RunView& run, const Headline& headline);

// What the causes of a run amount to.
struct Diagnosis {
  // Of the first scope, most first: all, and the first kMostHeadlines.
  std::vector<Headline> causes{};
  std::vector<Headline> headlines{};
  // By RegionId, the cause that saves most in each region, inner regions
  // included; nothing where none holds.
  std::vector<std::optional<Cause>> main_causes{};

  // Null where none holds, or no cause was looked for.
  const Cause* MainCause(RegionId id) const;
};

Diagnosis Diagnose(const RunView& run, const CauseTable& causes);

}  // namespace rangefinder
