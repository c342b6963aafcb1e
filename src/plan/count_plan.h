// Which instances of which regions are counted exactly, in a run of their own:
// the budget that was given, spent over the regions of a trace.
//
// Counting a range holds the program up for a time that hardly depends on the
// range (measured on an H200: 1.4 ms), so a budget is a number of ranges. Every
// region gets one, those with most GPU time first, and then each one more in
// turn, spread over its instances. Of two regions one of which is in the other
// only one is counted in an instance of the outer one: they take turns; where
// there are too few instances for that, the outer one is counted in the parts
// around the inner one.

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

// From a trace whose names are merged. A plan without regions says in its notes
// why there are none.
CountingPlan PlanCounting(const Profile& traced,
                          const CountingRequest& request);

// As the injection library reads it.
std::string CountingFile(const CountingPlan& plan);

// What is to be counted and what that costs, in one line, and a region a line.
std::string CountingText(const CountingPlan& plan);
std::string CountingTable(const CountingPlan& plan);

// What came of it, in one line: of a profile that has the counts.
std::string CountedText(const CountingPlan& plan, const Profile& counted);

}  // namespace rangefinder
