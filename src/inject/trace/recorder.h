// The library's one state in a process: the trace file, the names, the threads,
// and what happens to them at fork() and at the end.
//
// It is never destroyed: threads of the program may still call NVTX while the
// process ends. Nothing here throws, prints or ends the program.

#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "inject/trace/names.h"
#include "inject/process/own_call.h"
#include "inject/trace/thread_log.h"
#include "inject/trace/trace_file.h"

namespace rangefinder::inject {

// kSample: a trace, and the GPU's counters sampled beside it. kCount: ranges,
// and exact counters of chosen ones.
enum class Mode { kRegions, kTrace, kSample, kCount };

// Starts recording, once; every entry point of the library calls it. False: it
// is off, for good.
bool StartRecording();
Mode RecordingMode();

// The calling thread's log, made now if it is the thread's first event, entered
// until its Leave(). Null when the library is off, or inside another of our
// calls.
ThreadLog* EnterLog();
// Whether it has one, or can.
bool HasLog();
TraceFile& File();

// Runs `work(names, file)` with exclusive use of the names. False: the library
// is off, or the names are not to be had.
template <typename Work>
bool WithNames(Work work);

// A range id of start/end ranges, unique in the process.
std::uint64_t NewRangeId();

// Called at exit before the file is completed, to fetch what the GPU half has.
void SetLastFlush(void (*flush)());
// Whether regions are counted (counting.h). A forked child's are not: CUDA does
// not survive fork().
extern std::atomic<bool> counting_is_on;
inline bool CountingIsOn() {
  return counting_is_on.load(std::memory_order_relaxed);
}
// Called at the end of each thread that has a log, while counting is on.
void SetCountThreadEnd(void (*ended)(const ThreadLog& log));

// Writes the ends of everything; idempotent. Registered with atexit() by
// StartRecording(); whoever loads libraries later registers it again, so that
// it runs before their destructors.
void FinishRecording();
void RegisterFinish();

// ---- Behind the template ---------------------------------------------------

// The lock of the names, in which no handler interrupts this thread. Not held:
// the handler of a fault came while this thread had it, or another thread does
// not give it back.
class NamesLock {
 public:
  NamesLock();
  ~NamesLock();
  NamesLock(const NamesLock&) = delete;
  NamesLock& operator=(const NamesLock&) = delete;
  bool held() const { return held_; }

 private:
  QuietCall call_;
  bool was_at_the_lock_;
  bool held_;
};
Names& NamesUnderLock();
// False, and counted: no.
bool MayRecord(const NamesLock& lock);

template <typename Work>
bool WithNames(Work work) {
  const NamesLock lock;
  if (!MayRecord(lock)) return false;
  work(NamesUnderLock(), File());
  return true;
}

}  // namespace rangefinder::inject
