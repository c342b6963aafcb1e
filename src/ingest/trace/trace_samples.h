// The samples of a trace: what the GPUs' counters counted over time.

#pragma once

#include <string_view>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"
#include "profile/profile.h"

namespace rangefinder {

// Adds to `profile` the samples of every device, or, where sampling was asked
// for and came to none, why. Also the chips of the devices that are known
// already. Losses and reasons are noted under `where`.
void ReadCounterSamples(const Trace& trace, Profile& profile, Notes& notes,
                        std::string_view where);

}  // namespace rangefinder
