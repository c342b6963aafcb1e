// What was found, in words, before any number: at most three sentences that the
// measurements bear out, each of a region and with what to look at next. None
// is an answer.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

enum class RegionId : std::uint32_t;
struct RunView;

enum class HeadlineKind : std::uint8_t {
  kNeverClosed,   // ranges that stay open: what follows counts inside them
  kIdle,          // the GPU waits for launches
  kMemoryBound,   // near the peak of the memory
  kComputeBound,  // near the peak of the SMs
  kFirstSlow,     // the first instance is an outlier
};
std::string_view HeadlineName(HeadlineKind kind);  // "idle", "memory_bound"

struct Headline {
  HeadlineKind kind{};
  RegionId region{};
  std::string text{};   // "GPU idle 96 % of LLM: launch-bound, 1,130 ..."
  std::string next{};   // what to look at, or to try
  double about_ns = 0;  // the time that is at stake, by which they are ordered
};

inline constexpr std::size_t kMostHeadlines = 3;

// Of the run's first scope; one of each kind at most.
std::vector<Headline> HeadlinesOf(const RunView& run);

}  // namespace rangefinder
