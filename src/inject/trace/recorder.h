// The state of the library in a process: the trace file, the names and the
// threads, and their handling at fork() and at the end.
//
// It is never destroyed: threads of the program may still call NVTX while the
// process ends. Nothing here throws, prints or ends the program.

#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "inject/process/own_call.h"
#include "inject/trace/names.h"
#include "inject/trace/thread_log.h"
#include "inject/trace/trace_file.h"

namespace rangefinder::inject {

// kSample: a trace, and samples of the GPU's counters beside it. kCount:
// ranges, and exact counters of chosen ranges.
enum class Mode { kRegions, kTrace, kSample, kCount };

// Starts recording, once; every entry point of the library calls it. False: the
// library is off for good.
bool StartRecording();
Mode RecordingMode();

// ---- Armed processes -------------------------------------------------------
//
// RANGEFINDER_INJECT_MODE=armed: the process records nothing until a window
// opens. Each window has a trace of its own.

bool IsArmed();
// Whether an armed process sees the nodes of graphs and the calls of
// cudaProfilerStart and -Stop between windows (RANGEFINDER_INJECT_ARM=graphs).
bool ArmsGraphs();
// Whether a trace is being written.
bool IsTraceOpen();
// Makes the file of a window in the folder `dir`; `mode` is the name of a mode,
// or null. Null: the file is made; else the reason of the failure.
const char* OpenTrace(const char* dir, const char* mode);
// Threads record from BeginWindow() to EndWindow().
void BeginWindow();
void EndWindow();
// Completes the file of the window.
void CloseTrace();
// `forked` is called in a forked child of an armed process before everything
// else. `ends` is called at the exit of an armed process, before the
// destructors of libraries that were loaded later, and maybe again.
void SetArmedHandlers(void (*forked)(), void (*ends)());

// Enters the log of the calling thread until its Leave(); the first event of a
// thread makes the log. Null: the library is off, or the thread is inside
// another of our calls.
ThreadLog* EnterLog();
// Whether the calling thread has a log, or can have one.
bool HasLog();
TraceFile& File();

// Runs `work(names, file)` with exclusive use of the names. False: the library
// is off, or the lock of the names cannot be taken.
template <typename Work>
bool WithNames(Work work);

// A range id of start/end ranges, unique in the process.
std::uint64_t NewRangeId();

// `flush` is called at exit, before the file is completed, to fetch the GPU's
// records.
void SetLastFlush(void (*flush)());
// Whether regions are counted (counting.h). A forked child's are not: CUDA does
// not survive fork().
extern std::atomic<bool> counting_is_on;
inline bool CountingIsOn() {
  return counting_is_on.load(std::memory_order_relaxed);
}
// Whether a thread may be reading this plan (ThreadLog::reads).
bool IsRead(const void* plan);
// `ended` is called at the end of each thread that has a log, while counting is
// on.
void SetCountThreadEnd(void (*ended)(const ThreadLog& log));

// Completes the file; idempotent. StartRecording() registers it with atexit();
// code that loads libraries later registers it again, so that it runs before
// their destructors.
void FinishRecording();
void RegisterFinish();
// Whether FinishRecording() was called.
bool ProgramEnds();

// ---- Behind the template ---------------------------------------------------

// The lock of the names. No signal handler interrupts a thread that has it. Not
// held: a fault's handler runs in a thread that had the lock, or another thread
// does not release it.
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
// False: it may not, and the loss is counted.
bool MayRecord(const NamesLock& lock);

template <typename Work>
bool WithNames(Work work) {
  const NamesLock lock;
  if (!MayRecord(lock)) return false;
  work(NamesUnderLock(), File());
  return true;
}

}  // namespace rangefinder::inject
