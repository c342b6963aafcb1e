// The path of the plan that is open in a thread: the push/pop ranges of the
// thread and the start/end ranges of the process, by time of opening, as the
// reader of a trace orders them.

#pragma once

#include <cstdint>

#include "inject/counters/count_plan.h"
#include "inject/trace/thread_log.h"

namespace rangefinder::inject {

// The row of the open path, or kNoPlace.
std::uint32_t OpenRow(const CountPlan& plan, const ThreadLog& log);

// A start/end range of the process began, or ended, in a call of this thread,
// while CountingIsOn() (recorder.h). The range is part of the paths of ranges
// that are pushed meanwhile, and is never measured itself. No effect if the
// range is known already, or if the call began before the window.
void RangeStarted(const ThreadLog& log, std::uint32_t label, std::uint64_t id);
void RangeEnded(const ThreadLog& log, std::uint64_t id);
// Called before a window, while no start/end range is open.
void ForgetRanges();

}  // namespace rangefinder::inject
