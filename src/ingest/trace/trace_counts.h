// The counts of a trace: counters of whole instances of regions, measured one
// instance at a time by CUPTI's Range Profiler.

#pragma once

#include <string_view>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"
#include "profile/profile.h"

namespace rangefinder {

// Adds to `profile`, which has the process of `trace` alone, a measurement of
// kind kRange and mode kCounters for every region that was counted. Its samples
// are means over instances; its lists have the single instances (Instance::key:
// the instance's number in the process). Skipped instances are noted under
// `where`, with the reason.
void ReadCounts(const Trace& trace, Profile& profile, Notes& notes,
                std::string_view where);

}  // namespace rangefinder
