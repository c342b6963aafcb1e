// Writes CUPTI's records of the GPU's work into the trace. A thread fetches
// them periodically, so that a killed program loses only the last moments.

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

// The calls that are recorded, by the numbers of their functions.
struct WatchedFunctions {
  std::uint8_t launches[cupti::kMaxFunctions] = {};  // wire::Call; 0: none
  TimedCalls timed{};
};

class GpuRecords {
 public:
  // Called again, after Finish(), for the next window of an armed process.
  void Start(const cupti::ActivityFunctions& cupti,
             const WatchedFunctions& functions, ActivityBuffers& buffers,
             const Tuning& tuning);
  // The window is over: records of work that ends later are left out.
  void Rest();
  // Writes the records of a buffer, now or soon, and returns the buffer to its
  // pool.
  void Take(std::uint8_t* buffer, std::size_t valid_size);
  // Has CUPTI deliver all records, finished or not, writes them and completes
  // the stream. Nothing is fetched afterwards.
  void Finish();

 private:
  struct Full {
    std::uint8_t* buffer = nullptr;
    std::size_t valid_size = 0;
  };
  static constexpr std::size_t kMostWaiting = 256;

  static void* RunThread(void* self);
  void Restart();
  bool StartThread();
  void AwaitWork();
  void Flush();
  bool Next(Full& full);
  void Write(Full full);
  void WriteLocked(Full full);
  bool WriteBatch(Full full, void*& record);
  void WriteAny(Names& names, TraceFile& file, const void* record);
  void WriteCall(Names& names, TraceFile& file, cupti::Domain domain,
                 const cupti::CallRecord& record);
  void WriteOuter(Names& names, TraceFile& file, const RecordedCall& call);

  const cupti::ActivityFunctions* cupti_ = nullptr;
  const WatchedFunctions* functions_ = nullptr;
  ActivityBuffers* buffers_ = nullptr;
  bool apart_ = false;  // buffers are written by our thread
  bool launches_are_records_ = false;
  std::uint32_t flush_ms_ = 0;
  bool times_calls_ = false;  // else records of calls are left out
  OuterCalls outer_calls_{};  // under the lock of the output

  pthread_mutex_t flush_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  bool has_thread_ = false;
  bool finished_ = false;  // under flush_mutex_
  pthread_mutex_t queue_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t queue_filled_{};
  Full waiting_[kMostWaiting] = {};  // a ring, under queue_mutex_
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace rangefinder::inject
