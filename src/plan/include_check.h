// Whether what was asked for is there: the patterns of
// pipeline.ncu.ncu_cli.nvtx.include held against the regions of the program,
// before ncu runs.

#pragma once

#include "base/error.h"
#include "base/notes.h"
#include "plan/settings.h"
#include "profile/profile.h"

namespace rangefinder {

// True: some region in which a kernel was launched is wanted; of native
// expressions, and where there are no patterns, any. Each pattern that means no
// such region is noted ("include_matches_nothing"), with what there is instead.
Result<bool> CheckIncludes(const NcuSettings& ncu, const Profile& known,
                           Notes& notes);

// Why there is nothing to measure, as a note "no_matching_regions", which every
// report shows as a section of its own.
void NoteNothingToMeasure(const NcuSettings& ncu, const Profile& known,
                          Notes& notes);

}  // namespace rangefinder
