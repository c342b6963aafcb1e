// Mode `count`: exact counters of chosen regions by CUPTI's Range Profiler, in
// the program's process and in one run of it.
//
// A measured instance of a region (count_plan.h) is a range of the profiler
// from its push to its pop. Push and pop wait until the context has done all
// its work, and nothing is traced meanwhile, so that only the program's work is
// counted. Ranges of one thread at a time are measured, on the context of the
// first of them; the counts include work that other threads launch meanwhile.
// Instances that cannot be measured (wire::CountSkip) are skipped, and the
// trace has their number.

#pragma once

#include <cstdint>

#include "inject/gpu/programs_cupti.h"
#include "inject/trace/thread_log.h"

namespace rangefinder::inject {

// Called once, in cuInit(). If counting is impossible, the trace has the
// reason, and ranges are recorded all the same.
void StartCounting();

// In an armed process, around and in a window: PrepareCounting() reads the
// settings, before threads record; where counting is impossible, the trace has
// the reason. Ranges that are open at the beginning are not counted.
void PrepareCounting(const ProgramsCupti& cupti);
void WakeCounting();
// Releases the profiler. False: it cannot, since a thread does not return from
// it, or captures a graph; it is tried again before the next window.
bool RestCounting();
// In a forked child of an armed process: forgets the parent's counting.
void ForgetCounting();
// At the end of the program.
void FinishCounting();

// Reports, from here on, captures of graphs, which no range may disturb, and
// the end of contexts.
void WatchForCounting(const ProgramsCupti& cupti, cupti::Subscriber subscriber);
// CUPTI's callbacks in an armed process. True: the callback matters to counting
// alone.
bool HearForCounting(std::int32_t domain, std::uint32_t what, const void* data);

// The following are called only if CountingIsOn() (recorder.h). CountPush():
// the innermost range of the thread was just pushed. CountPop(): a range of
// `domain` is about to be popped.
void CountPush(ThreadLog& log);
void CountPop(ThreadLog& log, std::uint32_t domain);

}  // namespace rangefinder::inject
