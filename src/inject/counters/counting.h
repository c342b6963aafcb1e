// Mode `count`: exact counters of chosen regions by CUPTI's Range Profiler, in
// the program's process and in one run of it.
//
// A region that is to be measured (count_plan.h) is a range of the profiler's
// from its push to its pop. Both wait until the context has done all its work,
// and nothing is traced meanwhile, so that what is counted is the program's
// alone. One thread's range is measured at a time, on the context that the
// first of them had; what falls into it is counted whoever launches it.
// Whatever does not fit (count_format.h's CountSkip) is skipped, and how often
// is in the trace.

#pragma once

#include <cstdint>

#include "inject/trace/thread_log.h"

namespace rangefinder::inject {

// Once, from cuInit(). Where it cannot work, the trace says why, and ranges are
// recorded all the same.
void StartCounting();

// The rest is called where CountingIsOn() (recorder.h). The innermost range of
// the thread has just been pushed; a range of `domain`
// is about to be popped.
void CountPush(ThreadLog& log);
void CountPop(ThreadLog& log, std::uint32_t domain);
// A start/end range began, or ended: they are in the paths of what is pushed
// meanwhile, and are not measured themselves.
void CountStart(std::uint32_t label, std::uint64_t id);
void CountEnd(std::uint64_t id);

}  // namespace rangefinder::inject
