// Two runs of one program in one profile: the undisturbed one under the tracer,
// and the one that was replayed for its counters. Their numbers are never
// added, so the traced kernels are set apart; and their processes, which have
// other ids each time, are matched.

#pragma once

#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

// Where a profiler measured anything, kernels or ranges as a whole: moves the
// kernels of traces from Profile::measurements to Profile::traced, and gives
// what the trace knows of a process to its counterpart, by the program's name,
// its rank, and the order of the first kernels.
//
// Changes nothing of a profile of one kind.
void SetTracedRunApart(Profile& profile, Notes& notes);

}  // namespace rangefinder
