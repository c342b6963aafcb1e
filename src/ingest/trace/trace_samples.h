// The samples of a trace: counters of each GPU over time.

#pragma once

#include <string_view>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"
#include "profile/profile.h"

namespace rangefinder {

// Adds the samples of every device to `profile`, or the reason why there are
// none although sampling was requested; sets the chips of known devices. Losses
// and reasons are noted under `where`.
void ReadCounterSamples(const Trace& trace, Profile& profile, Notes& notes,
                        std::string_view where);

}  // namespace rangefinder
