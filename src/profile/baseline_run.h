// Separates the baseline run from the run that was replayed for its counters,
// if a profile has both. Their numbers are never added; their processes, which
// have different ids in each run, are matched.

#pragma once

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

// If a profiler measured kernels or ranges: moves the kernels of traces from
// Profile::measurements to Profile::traced, and assigns the regions of a traced
// process to its counterpart, by the program's name, its rank, and the order of
// the first kernels. Does nothing if the profile has only one of the two runs.
void SetBaselineRunApart(Profile& profile, Notes& notes);

}  // namespace rangefinder
