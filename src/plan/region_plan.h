// The regions of a profile for the planning of captures.

#pragma once

#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/plan.h"
#include "plan/settings.h"
#include "profile/profile.h"

namespace rangefinder {

// Every region of `profile`, parents before children. The patterns of
// ncu_cli.nvtx.include select the wanted regions; without patterns all are
// wanted. kUsage: an invalid pattern.
Result<std::vector<RegionToMeasure>> PlannableRegions(const Profile& profile,
                                                      const NcuSettings& ncu);

// ---- Requested regions -----------------------------------------------------

// Checks before ncu runs whether the program has the requested regions: the
// patterns of pipeline.ncu.ncu_cli.nvtx.include against the known regions.

// True: a region with launches is wanted; also for native expressions, and
// without patterns. Each pattern that matches no region with launches gives a
// note ("include_matches_nothing") with the existing regions.
Result<bool> CheckIncludes(const NcuSettings& ncu, const Profile& known,
                           Notes& notes);

// Notes why there is nothing to measure: "no_matching_regions", which every
// report shows as a section of its own.
void NoteNothingToMeasure(const NcuSettings& ncu, const Profile& known,
                          Notes& notes);

}  // namespace rangefinder
