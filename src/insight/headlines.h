// Findings that a reader should know before any number: at most three, each of
// one region, supported by the measurements, with a step to take next. No
// finding is an answer, too.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/notes.h"

namespace rangefinder {

enum class RegionId : std::uint32_t;
struct RunView;

enum class HeadlineKind : std::uint8_t {
  kNeverClosed,   // a range stays open: everything after it counts inside
  kIdle,          // the GPU waits for launches
  kMemoryBound,   // near the peak of the memory
  kComputeBound,  // near the peak of the SMs
  kFirstSlow,     // the first instance is an outlier
};
// The id of the finding: "idle" "memory_bound".
std::string_view HeadlineName(HeadlineKind kind);

struct Headline {
  HeadlineKind kind{};
  RegionId region{};
  // kWarning: other numbers mislead as long as this is so.
  Severity severity = Severity::kInfo;
  std::string text{};   // "GPU idle 96 % of LLM: launch-bound, 1,130 ..."
  std::string next{};   // where to look, or what to try
  double about_ns = 0;  // the time at stake, most first
};

inline constexpr std::size_t kMostHeadlines = 3;

// Of the run's first scope; one of each kind at most.
std::vector<Headline> HeadlinesOf(const RunView& run);

}  // namespace rangefinder
