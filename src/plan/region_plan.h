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
// wanted. kUsage for a pattern with an error.
Result<std::vector<RegionToMeasure>> PlannableRegions(const Profile& profile,
                                                      const NcuSettings& ncu);

// ---- Requested regions -----------------------------------------------------

// Whether the program has the requested regions: the patterns of
// pipeline.ncu.ncu_cli.nvtx.include against the known regions, before ncu runs.

// True: some region in which a kernel was launched is wanted; of native
// expressions, and where there are no patterns, any. Each pattern without such
// a region gives a note ("include_matches_nothing") with the existing regions.
Result<bool> CheckIncludes(const NcuSettings& ncu, const Profile& known,
                           Notes& notes);

// Why there is nothing to measure, as a note "no_matching_regions", which every
// report shows as a section of its own.
void NoteNothingToMeasure(const NcuSettings& ncu, const Profile& known,
                          Notes& notes);

}  // namespace rangefinder
