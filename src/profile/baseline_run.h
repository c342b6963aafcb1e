// Sets the baseline run apart from the run that was replayed for its counters,
// where a profile has both. Their numbers are never added; their processes,
// which have other ids in each run, are matched.

#pragma once

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

// Where a profiler measured kernels or ranges: moves the kernels of traces from
// Profile::measurements to Profile::traced, and gives the regions of a traced
// process to its counterpart, by the program's name, its rank, and the order of
// the first kernels. Changes no profile that has one of the two runs only.
void SetBaselineRunApart(Profile& profile, Notes& notes);

}  // namespace rangefinder
