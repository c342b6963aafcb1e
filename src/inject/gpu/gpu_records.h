// Writes CUPTI's records of the GPU's work, and the names of the GPUs, into the
// trace. A thread fetches the records periodically, so that a killed program
// loses only the last moments.

#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/activity_abi.h"
#include "cupti/library.h"
#include "inject/gpu/activity_buffers.h"
#include "inject/gpu/timed_calls.h"
#include "inject/process/tuning.h"
#include "inject/trace/names.h"

namespace rangefinder::inject {

class GpuRecords {
 public:
  // On the thread that is in cuInit(), before Start(): cuInit() called the
  // library at `begin_ns`, which has worked until `end_ns`.
  void InCuInit(std::uint64_t begin_ns, std::uint64_t end_ns);
  // Called again, after Finish(), for the next window of an armed process.
  void Start(const cupti::ActivityFunctions& cupti, const TimedCalls& timed,
             ActivityBuffers& buffers, const Tuning& tuning);
  // On the thread that is in cuInit() or makes a context: the library worked
  // between these times.
  void NoteOwnWork(std::uint64_t begin_ns, std::uint64_t end_ns);
  // The window is over: records of work that ends later are left out.
  void Rest();
  // Writes the records of a buffer and returns the buffer to its pool.
  void Take(std::uint8_t* buffer, std::size_t valid_size);
  // Has CUPTI deliver all records, finished or not, writes them and completes
  // the stream. Nothing is fetched afterwards.
  void Finish();

 private:
  static void* RunThread(void* self);
  void AwaitCuInit();
  void Restart();
  void Flush();
  bool WriteBatch(std::uint8_t* buffer, std::size_t valid_size, void*& record);
  void WriteAny(Names& names, TraceFile& file, const void* record);
  void WriteCall(Names& names, TraceFile& file, cupti::Domain domain,
                 const cupti::CallRecord& record);
  void WriteOuter(Names& names, TraceFile& file, const RecordedCall& call);

  const cupti::ActivityFunctions* cupti_ = nullptr;
  const TimedCalls* timed_ = nullptr;
  ActivityBuffers* buffers_ = nullptr;
  std::uint32_t flush_ms_ = 0;
  bool times_calls_ = false;  // else records of calls are left out
  OuterCalls outer_calls_{};  // under the lock of the output
  // The call of cuInit() that loaded this library.
  struct {
    int (*get_count)(int*) = nullptr;        // null in an armed process
    std::uint64_t begin_ns = 0, end_ns = 0;  // so far
    std::uint32_t thread = 0;
  } cu_init_;

  pthread_mutex_t flush_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  bool has_thread_ = false;
  bool finished_ = false;  // under flush_mutex_
};

}  // namespace rangefinder::inject
