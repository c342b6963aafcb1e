// The counters of a trace: samples of each GPU over time, and counts of whole
// instances of regions, which CUPTI's Range Profiler measures one at a time.

#pragma once

#include <string_view>
#include <vector>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"
#include "profile/profile.h"
#include "profile/wall_time.h"

namespace rangefinder {

// The times in which the injection library held the program up to start
// sampling.
std::vector<WallInterval> HeldUpIn(const Trace& trace);

// Adds the samples of every device to `profile`, or the reason of their absence
// if sampling was requested; sets the chips of known devices. Losses and
// reasons are noted under `where`.
void ReadCounterSamples(const Trace& trace, Profile& profile, Notes& notes,
                        std::string_view where);

// Adds to `profile`, which has the process of `trace` alone, a measurement of
// kind kRange and mode kCounters for every region that was counted. Its samples
// are means over instances; its lists have the single instances (Instance::key:
// the instance's number in the process). Skipped instances are noted under
// `where`, with the reason.
void ReadCounts(const Trace& trace, Profile& profile, Notes& notes,
                std::string_view where);

}  // namespace rangefinder
