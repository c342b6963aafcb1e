// The counts of a trace: what regions counted that were measured as a whole,
// one instance at a time, by the Range Profiler.

#pragma once

#include <string_view>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"
#include "profile/profile.h"

namespace rangefinder {

// Adds to `profile`, of `trace`'s process alone, a measurement for every region
// that was measured: of kind kRange and mode kCounters, its samples the mean of
// an instance, its lists the instances one by one (Instance::key: the
// instance's number in the process). What was skipped and why is noted under
// `where`.
void ReadCounts(const Trace& trace, Profile& profile, Notes& notes,
                std::string_view where);

}  // namespace rangefinder
