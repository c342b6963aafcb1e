// Ranges that ncu was to measure as a whole and did not: it says nothing of
// them, so they are found by comparing what came back with what was asked.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/notes.h"
#include "capture/capture.h"
#include "capture/plan.h"
#include "profile/profile.h"

namespace rangefinder {

// How often each region was measured as a whole, by its label.
using RangeCounts = std::map<std::string, std::uint64_t>;

RangeCounts CountRanges(const Profile& profile);

// What came of one run in a range mode.
struct RunOutcome {
  const RunRecord* run = nullptr;
  RangeCounts measured{};  // of the report that it left
  std::string log{};       // the text of it
};

// A note for each region that no run in a range mode brought back, with the
// likely reason and what to do, and for each that came back more or less often
// than planned.
void NoteLostRanges(const CapturePlan& plan,
                    std::span<const RunOutcome> outcomes, Notes& notes);

}  // namespace rangefinder
