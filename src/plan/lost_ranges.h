// Ranges that ncu should have measured as a whole and did not. ncu does not
// report them: they are found by comparing the results with the plan.

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

// Number of measurements of each region as a whole, by label.
using RangeCounts = std::map<std::string, std::uint64_t>;

RangeCounts CountRanges(const Profile& profile);

// The results of one run in a range mode.
struct RunOutcome {
  const RunRecord* run = nullptr;
  RangeCounts measured{};  // from its report
  std::string log{};       // its text
};

// A note for each region that no run in a range mode measured, with the likely
// reason and a remedy, and for each region measured less often than planned.
void NoteLostRanges(const CapturePlan& plan,
                    std::span<const RunOutcome> outcomes, Notes& notes);

}  // namespace rangefinder
