// The library's one state in a process: the trace file, the names, the threads,
// and what happens to them at fork() and at the end.
//
// It is never destroyed: threads of the program may still call NVTX while the
// process ends. Nothing here throws, prints or ends the program.

#pragma once

#include <cstdint>
#include <string_view>

#include "inject/names.h"
#include "inject/thread_log.h"
#include "inject/trace_file.h"

namespace rangefinder::inject {

// kSample: a trace, and the GPU's counters sampled beside it. kCount: ranges,
// and exact counters of chosen ones.
enum class Mode { kRegions, kTrace, kSample, kCount };

// Starts recording, once; every entry point of the library calls it. False: it
// is off, for good.
bool StartRecording();
Mode RecordingMode();

// The calling thread's log, made now if it is the thread's first event; null
// when the library is off.
ThreadLog* MyLog();
TraceFile& File();

// Runs `work(names, file)` with exclusive use of the names. False: the library
// is off, or memory ran out, which switches it off.
template <typename Work>
bool WithNames(Work work);

// A range id of start/end ranges, unique in the process.
std::uint64_t NewRangeId();

// Called at exit before the file is completed, to fetch what the GPU half has.
void SetLastFlush(void (*flush)());
// Writes the ends of everything; idempotent. Registered with atexit() by
// StartRecording(); whoever loads libraries later registers it again, so that
// it runs before their destructors.
void FinishRecording();
void RegisterFinish();

// ---- Behind the template ---------------------------------------------------

class NamesLock {
 public:
  NamesLock();
  ~NamesLock();
  NamesLock(const NamesLock&) = delete;
  NamesLock& operator=(const NamesLock&) = delete;
};
Names& NamesUnderLock();
bool IsRecording();
void SwitchOff(const char* reason);

template <typename Work>
bool WithNames(Work work) {
  const NamesLock lock;
  if (!IsRecording()) return false;
  try {
    work(NamesUnderLock(), File());
    return true;
  } catch (...) {
    SwitchOff("no memory for the names of ranges");
    return false;
  }
}

}  // namespace rangefinder::inject
