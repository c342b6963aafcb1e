#include "inject/gpu/gpu_records.h"

#include <atomic>

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "inject/gpu/device_names.h"
#include "inject/process/own_call.h"
#include "inject/process/own_threads.h"
#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"

namespace rangefinder::inject {
namespace {

// A thread that writes finishes soon, unless it is stopped.
constexpr time_t kPatience = 2;  // s

// The stream of GPU records. One thread at a time writes it.
struct Output {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  Stream stream{};
};
constinit Output output{};

constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};

// The window, ns since 1970. Calls are recorded before it, too.
struct Span {
  std::atomic<std::uint64_t> begin{0}, end{kNoEnd};
};
constinit Span window{};

// Work that runs when a window closes is not part of it: CUPTI completes its
// record with no time, or with that of the flush.
template <typename Record>
bool RunsBeyond(const Record& record) {
  const std::uint64_t end = window.end.load();
  return end != kNoEnd && (record.end == 0 || record.end > end);
}

template <std::size_t kWords>
bool WriteRecord(wire::Gpu kind, std::uint32_t operand,
                 const std::uint64_t (&words)[kWords]) {
  TraceFile& file = File();
  if (!output.stream.BelongsTo(file))
    output.stream.Start(file, wire::BlockKind::kGpu, 0);
  std::uint64_t* const at = output.stream.Reserve(file, kWords + 1);
  if (at == nullptr) {
    Count(file.live().dropped_events);
    return false;
  }
  for (std::size_t i = 0; i < kWords; ++i) {
    Stream::Put(at, i + 1, words[i]);
  }
  output.stream.Commit(at, wire::GpuWord(kind, operand, kWords), kWords + 1);
  return true;
}

template <typename Record>
std::uint32_t PlaceOf(Names& names, TraceFile& file, const Record& record) {
  return names.Place(file, {record.device, record.context, record.stream});
}

void WriteKernel(Names& names, TraceFile& file,
                 const cupti::KernelRecord& record) {
  if (RunsBeyond(record)) return;
  const auto pack = [](std::int32_t low, std::int32_t high) {
    return wire::Pack(static_cast<std::uint32_t>(low),
                      static_cast<std::uint32_t>(high));
  };
  const char* name = record.name != nullptr ? record.name : "";
  const std::uint32_t string = names.String(file, name);
  const std::uint32_t shape =
      names.Shape(file, {{wire::Pack(string, record.registers),
                          pack(record.grid[0], record.grid[1]),
                          pack(record.grid[2], record.block[0]),
                          pack(record.block[1], record.block[2]),
                          pack(record.static_shared, record.dynamic_shared)}});
  WriteRecord(wire::Gpu::kKernel, 0,
              {record.start, record.end, wire::Pack(record.correlation, shape),
               PlaceOf(names, file, record), record.graph_node});
}

// The kinds of a copy and of its memories; the copy is within one device or
// between two.
template <typename Record>
std::uint32_t KindsOf(const Record& copy) {
  const auto memory = [](std::uint8_t kind) {
    return std::uint32_t{kind < 16 ? kind : std::uint8_t{0}};  // 0: unknown
  };
  return copy.copy_kind | memory(copy.source_kind) << 8 |
         memory(copy.target_kind) << 12;
}

template <typename Record>
void WriteCopy(Names& names, TraceFile& file, wire::Gpu kind,
               std::uint32_t operand, const Record& record) {
  if (RunsBeyond(record)) return;
  const std::uint32_t place = PlaceOf(names, file, record);
  WriteRecord(kind, operand,
              {record.start, record.end, wire::Pack(record.correlation, place),
               record.bytes, record.graph_node});
}

// The middle of a call lies in the same ranges as the call itself, even if the
// two clocks differ a little.
void WriteLaunch(std::uint32_t what, const cupti::CallRecord& record) {
  std::uint64_t middle =
      record.end > record.start ? (record.end - record.start) / 2 : 0;
  if (middle > wire::kMostToMiddle) middle = wire::kMostToMiddle;
  WriteRecord(wire::Gpu::kCall, what | static_cast<std::uint32_t>(middle) << 3,
              {record.start, wire::Pack(record.correlation, record.thread)});
}

void WriteTimed(Names& names, TraceFile& file, wire::TimedCall kind,
                std::string_view name, std::uint32_t thread,
                std::uint64_t start, std::uint64_t end) {
  if (start < window.begin.load() || start > window.end.load()) return;
  WriteRecord(wire::Gpu::kTimed, static_cast<std::uint32_t>(kind),
              {start, end, wire::Pack(thread, names.String(file, name))});
}

// Overheads that are the program's own; those of CUPTI are not written.
struct OverheadMeaning {
  std::int32_t overhead;
  wire::TimedCall kind;
  std::string_view name;
};
constexpr OverheadMeaning kOverheads[] = {
    {cupti::kDriverCompiler, wire::TimedCall::kLoad,
     "compilation by the driver"},
    {cupti::kModuleLoading, wire::TimedCall::kLoad, "loading of a module"},
    {cupti::kLazyLoading, wire::TimedCall::kLoad, "lazy loading of a function"},
    {cupti::kCommandBufferFull, wire::TimedCall::kLaunch,
     "wait for room in the command buffer"},
};

void WriteOverhead(Names& names, TraceFile& file,
                   const cupti::OverheadRecord& record) {
  if (record.object != cupti::kThreadObject || record.start == 0 ||
      record.end < record.start) {
    return;
  }
  for (const OverheadMeaning& meaning : kOverheads) {
    if (meaning.overhead == record.overhead)
      WriteTimed(names, file, meaning.kind, meaning.name, record.thread,
                 record.start, record.end);
  }
}

// Memory of a record that the library has to free.
void* ToFree(const void* record) {
  if (*static_cast<const std::int32_t*>(record) != cupti::kOverhead)
    return nullptr;
  const auto& overhead = *static_cast<const cupti::OverheadRecord*>(record);
  return overhead.overhead == cupti::kCommandBufferFull ? overhead.data
                                                        : nullptr;
}

void WriteMigration(const cupti::UnifiedMemoryRecord& record) {
  const bool from_device = record.counter == cupti::kPagesToHost ||
                           record.counter == cupti::kGpuPageFault;
  const bool to_device = record.counter == cupti::kPagesToDevice ||
                         record.counter == cupti::kPagesBetweenDevices;
  if ((!from_device && !to_device) || record.start == 0 ||
      record.end < record.start) {
    return;
  }
  WriteRecord(wire::Gpu::kMigration, static_cast<std::uint32_t>(record.counter),
              {record.start, record.end, record.value,
               from_device ? record.source : record.target});
}

}  // namespace

void GpuRecords::Start(const cupti::ActivityFunctions& cupti,
                       const WatchedFunctions& functions,
                       ActivityBuffers& buffers, const Tuning& tuning) {
  if (has_thread_) return Restart();
  cupti_ = &cupti;
  functions_ = &functions;
  buffers_ = &buffers;
  times_calls_ = tuning.api != Tuning::Api::kNone;
  launches_are_records_ = tuning.launches == Tuning::Launches::kRecords;
  flush_ms_ = tuning.own_flush ? tuning.flush_ms : 0;
  Restart();
  if (!tuning.decode_apart && flush_ms_ == 0) return;
  has_thread_ = StartThread();
  apart_ = has_thread_ && tuning.decode_apart;
}

void GpuRecords::Restart() {
  if (IsArmed()) window.begin = RealtimeNs();
  window.end = kNoEnd;
  const LockWithin lock(flush_mutex_, kPatience);
  if (lock.held()) finished_ = false;
}

void GpuRecords::Rest() {
  window.end = RealtimeNs();
}

void GpuRecords::Take(std::uint8_t* buffer, std::size_t valid_size) {
  if (!apart_) return Write({buffer, valid_size});
  pthread_mutex_lock(&queue_mutex_);
  const bool room = count_ < kMostWaiting;
  if (room) {
    waiting_[(first_ + count_++) % kMostWaiting] = {buffer, valid_size};
    pthread_cond_signal(&queue_filled_);
  }
  pthread_mutex_unlock(&queue_mutex_);
  if (!room) Write({buffer, valid_size});
}

void GpuRecords::Finish() {
  // Our thread may be in CUPTI's flush, which may never return.
  timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  if (pthread_mutex_timedlock(&flush_mutex_, &until) != 0) return;
  finished_ = true;
  WriteDeviceNames();
  cupti_->ActivityFlushAll(1);
  pthread_mutex_unlock(&flush_mutex_);
  const LockWithin lock(output.mutex, kPatience);
  if (!lock.held()) return;
  Full full;
  while (Next(full)) WriteLocked(full);
  output.stream.Seal(File());
}

// CUPTI's own period delivers only full buffers; this flush delivers all
// buffers whose kernels have ended.
void GpuRecords::Flush() {
  pthread_mutex_lock(&flush_mutex_);
  if (!finished_) {
    WriteDeviceNames();
    cupti_->ActivityFlushAll(0);
  }
  pthread_mutex_unlock(&flush_mutex_);
}

bool GpuRecords::Next(Full& full) {
  pthread_mutex_lock(&queue_mutex_);
  const bool any = count_ > 0;
  if (any) {
    full = waiting_[first_];
    first_ = (first_ + 1) % kMostWaiting;
    --count_;
  }
  pthread_mutex_unlock(&queue_mutex_);
  return any;
}

bool GpuRecords::StartThread() {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&queue_filled_, &attributes);
  return StartOwnThread(RunThread, this);
}

void* GpuRecords::RunThread(void* argument) {
  auto& self = *static_cast<GpuRecords*>(argument);
  for (;;) {
    self.AwaitWork();
    if (OwnThreadsAreAlone()) return nullptr;
    // Buffers leave the queue under this lock: Finish() finds a buffer in the
    // queue, or waits until it is written.
    pthread_mutex_lock(&output.mutex);
    Full full;
    const bool any = self.Next(full);
    if (any) self.WriteLocked(full);
    pthread_mutex_unlock(&output.mutex);
    if (!any) self.Flush();
  }
}

// Returns when a buffer is queued, or when it is time to fetch records.
void GpuRecords::AwaitWork() {
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const std::uint32_t period = flush_ms_ > 0 ? flush_ms_ : 3600 * 1000;
  until.tv_sec += period / 1000;
  until.tv_nsec += static_cast<long>(period % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) {
    ++until.tv_sec;
    until.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&queue_mutex_);
  int waited = 0;
  while (count_ == 0 && waited == 0) {
    waited = pthread_cond_timedwait(&queue_filled_, &queue_mutex_, &until);
  }
  pthread_mutex_unlock(&queue_mutex_);
}

void GpuRecords::Write(Full full) {
  const LockWithin lock(output.mutex, kPatience);
  if (lock.held()) return WriteLocked(full);
  Count(File().live().dropped_records);
  if (full.buffer != nullptr) buffers_->Return(full.buffer, full.valid_size);
}

// Records that come after a window are left out.
void GpuRecords::WriteLocked(Full full) {
  if (full.buffer == nullptr) return;
  void* record = nullptr;
  if (full.valid_size > 0 && IsTraceOpen()) {
    while (WriteBatch(full, record)) {
    }
  }
  buffers_->Return(full.buffer, full.valid_size);
}

// Locks the names for a few records at a time: threads of the program may be
// waiting to add a name. False: the buffer is read to its end.
bool GpuRecords::WriteBatch(Full full, void*& record) {
  constexpr int kBatch = 64;
  bool more = true;
  // Freed without the lock: an allocator has locks of its own.
  void* to_free[kBatch] = {};
  const bool on = WithNames([&](Names& names, TraceFile& file) {
    for (int i = 0; i < kBatch && more; ++i) {
      more = cupti_->ActivityGetNextRecord(full.buffer, full.valid_size,
                                           &record) == cupti::kSuccess;
      if (!more) break;
      WriteAny(names, file, record);
      to_free[i] = ToFree(record);
    }
    if (more) return;
    outer_calls_.Release(
        [&](const RecordedCall& call) { WriteOuter(names, file, call); });
  });
  for (void* memory : to_free) free(memory);
  return on && more;
}

void GpuRecords::WriteAny(Names& names, TraceFile& file, const void* record) {
  switch (*static_cast<const std::int32_t*>(record)) {
    case cupti::kConcurrentKernel:
    case cupti::kKernel:
      return WriteKernel(names, file,
                         *static_cast<const cupti::KernelRecord*>(record));
    case cupti::kMemcpy: {
      const auto& copy = *static_cast<const cupti::MemcpyRecord*>(record);
      return WriteCopy(names, file, wire::Gpu::kCopy, KindsOf(copy), copy);
    }
    case cupti::kMemcpyPeer: {
      const auto& copy = *static_cast<const cupti::MemcpyPeerRecord*>(record);
      return WriteCopy(names, file, wire::Gpu::kCopy, KindsOf(copy), copy);
    }
    case cupti::kMemset:
      return WriteCopy(names, file, wire::Gpu::kSet, 0,
                       *static_cast<const cupti::MemsetRecord*>(record));
    case cupti::kDriverCall:
      return WriteCall(names, file, cupti::kDriverApi,
                       *static_cast<const cupti::CallRecord*>(record));
    case cupti::kRuntimeCall:
      return WriteCall(names, file, cupti::kRuntimeApi,
                       *static_cast<const cupti::CallRecord*>(record));
    case cupti::kOverhead:
      return WriteOverhead(names, file,
                           *static_cast<const cupti::OverheadRecord*>(record));
    case cupti::kUnifiedMemory:
      return WriteMigration(
          *static_cast<const cupti::UnifiedMemoryRecord*>(record));
    default:
      break;
  }
}

void GpuRecords::WriteCall(Names& names, TraceFile& file, cupti::Domain domain,
                           const cupti::CallRecord& record) {
  if (record.function >= cupti::kMaxFunctions) return;
  const std::uint32_t launch = functions_->launches[record.function];
  if (domain == cupti::kDriverApi && launch != 0 && launches_are_records_)
    WriteLaunch(launch, record);
  const wire::TimedCall kind =
      functions_->timed.KindOf(domain, record.function);
  // A call without times began before CUPTI recorded calls.
  if (!times_calls_ || kind == wire::TimedCall{0} || record.start == 0 ||
      record.end < record.start) {
    return;
  }
  outer_calls_.Add(
      {kind, domain, record.function, record.thread, record.start, record.end},
      [&](const RecordedCall& call) { WriteOuter(names, file, call); });
}

void GpuRecords::WriteOuter(Names& names, TraceFile& file,
                            const RecordedCall& call) {
  const char* name = nullptr;
  if (cupti_->GetCallbackName(call.domain, call.function, &name) !=
          cupti::kSuccess ||
      name == nullptr) {
    return;
  }
  WriteTimed(names, file, call.kind, NameOfCall(name), call.thread, call.start,
             call.end);
}

}  // namespace rangefinder::inject
