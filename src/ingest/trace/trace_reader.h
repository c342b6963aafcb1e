// Reads a trace of the injection library into a Profile: its kernels with the
// ranges that were open at their launch, and the times of every region.
//
// The profile's `visits` list all regions in order of first appearance; its
// measurements are kernels in the order in which they started.

#pragma once

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "ingest/trace/trace_blocks.h"
#include "profile/profile.h"

namespace rangefinder {

Result<Profile> ReadRangefinderTrace(const ReaderInput& input, Notes& notes);

// The profile of one process, without artifacts. `trace` was read from the file
// that `input` names, of any format.
Profile ProfileOfTrace(const Trace& trace, const ReaderInput& input,
                       Notes& notes);

// The source lines where the trace's kernels begin, from its `source` records.
KernelSources SourcesOf(const Trace& trace);

}  // namespace rangefinder
