// The instances that a run counts exactly: a budget, spent over the regions of
// a trace.
//
// Counting a range holds the program up for a time that hardly depends on the
// range (measured on an H200: 1.4 ms), so a budget is a number of ranges. Every
// region gets one range, by GPU time, then each region one more in turn, spread
// over its instances. Of two nested regions, one instance of the outer region
// counts only one of them: they take turns. With too few instances, the outer
// region is counted in the parts around the inner region.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/notes.h"
#include "profile/profile.h"
#include "region/pattern.h"

namespace rangefinder {

inline constexpr double kCountedRangeSeconds = 1.4e-3;
inline constexpr double kCountingStartSeconds = 0.6;  // once in a process

struct CountingRequest {
  std::vector<Pattern> include{};  // regions; empty: all
  std::vector<Pattern> exclude{};
  double budget_s = 0;     // what counting may hold the program up for
  std::size_t passes = 1;  // that the metrics take
};

// A region, by the names that the program gave.
struct RegionToCount {
  std::vector<std::pair<std::string, std::string>> path{};  // domain, name
  std::string label{};          // printable, as reports have it
  std::uint64_t instances = 0;  // that it had in the trace, in one process
  double gpu_ns = 0;            // of all its instances
  // Which are counted; see inject/counters/count_plan.h.
  std::uint64_t skip = 0, every = 1, most = 0, slot = 0, slots = 1;
  bool split = false;
  std::uint64_t expected = 0;  // instances
};

struct CountingPlan {
  std::vector<RegionToCount> regions{};  // outer ones before those in them
  std::uint32_t ranges = 128;            // between two readings
  std::uint64_t instances = 16;          // of a region in a pass
  std::size_t passes = 1;
  double budget_s = 0;
  double seconds = 0;  // that it will hold the program up, start excluded
  Notes notes{};

  std::uint64_t expected() const;  // instances of all regions
};

// From a trace with merged names. The notes of a plan without regions give the
// reason.
CountingPlan PlanCounting(const Profile& traced,
                          const CountingRequest& request);

// As the injection library reads it.
std::string CountingFile(const CountingPlan& plan);

// The plan and its cost in one line, and the plan with one line per region.
std::string CountingText(const CountingPlan& plan);
std::string CountingTable(const CountingPlan& plan);

// The result in one line, from a profile with the counts.
std::string CountedText(const CountingPlan& plan, const Profile& counted);

}  // namespace rangefinder
