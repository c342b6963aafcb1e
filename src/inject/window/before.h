// State from before a window that the window needs, in an armed process: the
// open start/end ranges, and the ranges in which nodes of CUDA graphs were made
// (if the process is armed for graphs). Push/pop ranges are in the threads'
// logs.
//
// The numbers of both are limited. Nodes beyond the limit are counted as
// dropped events of the windows. Start/end ranges beyond the limit are unknown:
// a window that sees the end of such a range notes an end without a begin.

#pragma once

#include <cstdint>

#include "inject/trace/thread_log.h"

namespace rangefinder::inject {

// A node was made in the open ranges of this thread, which are in its log.
// `original`: the node that it is a copy of, or 0.
void KeepNode(const ThreadLog& log, std::uint64_t id, std::uint64_t original);

// A start/end range began or ended. `recorded`: a trace has it.
void KeepStart(const LabelSpelling& spelling, std::uint64_t id, bool recorded);
void DropStart(std::uint64_t id);

// Writes this state into the trace of the window that has just opened, as
// events of the calling thread, which is the library's.
void WriteBefore();
// Tells the open start/end ranges to counting, and begins counting.
void BeginCounts();

}  // namespace rangefinder::inject
