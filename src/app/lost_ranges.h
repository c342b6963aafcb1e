// Ranges that ncu was to measure as a whole and did not: it says nothing of
// them, so they are found by comparing what came back with what was asked.

#pragma once

#include "base/notes.h"
#include "capture/capture.h"
#include "capture/plan.h"

namespace rangefinder {

// A note for each region that no run in a range mode brought back, with the
// likely reason and what to do, and for each that came back more or less often
// than planned.
void NoteLostRanges(const Capture& capture, const CapturePlan& plan,
                    Notes& notes);

}  // namespace rangefinder
