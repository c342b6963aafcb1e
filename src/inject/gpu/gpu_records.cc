#include "inject/gpu/gpu_records.h"

#include <atomic>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "inject/process/own_call.h"
#include "inject/process/own_threads.h"
#include "inject/process/system_calls.h"
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

// The window, ns since 1970. CUPTI records calls before the window, too.
struct Span {
  std::atomic<std::uint64_t> begin{0}, end{kNoEnd};
};
constinit Span window{};

// Work that runs when a window closes is not part of the window: CUPTI
// completes the record of such work without an end, or with the time of the
// flush.
template <typename Record>
bool RunsBeyond(const Record& record) {
  const std::uint64_t end = window.end.load();
  return end != kNoEnd && (record.end == 0 || record.end > end);
}

template <std::size_t kWords>
void WriteRecord(wire::Gpu kind, std::uint32_t operand,
                 const std::uint64_t (&words)[kWords]) {
  TraceFile& file = File();
  if (!output.stream.BelongsTo(file))
    output.stream.Start(file, wire::BlockKind::kGpu, 0);
  if (!output.stream.Write(file, wire::GpuWord(kind, operand, kWords), words,
                           kWords))
    Count(file.live().dropped_events);
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

// ---- The names of the GPUs -------------------------------------------------

// CUdevice_attribute: the compute capability, the place on the bus, and the
// peak clocks and sizes of the hardware.
constexpr int kMajor = 75, kMinor = 76;
constexpr int kPciBus = 33, kPciDevice = 34, kPciDomain = 50;
constexpr int kClock = 13, kMultiprocessors = 16;
constexpr int kMemoryClock = 36, kMemoryBusWidth = 37;

// Writes the name, compute capability and hardware limits of each device into
// the trace, once. Not to be called inside cuInit(): the driver answers only
// afterwards.
void WriteDeviceNames() {
  static std::atomic<bool> written{false};
  auto* get_count = cupti::DriverFunction<int(int*)>("cuDeviceGetCount");
  auto* get = cupti::DriverFunction<int(int*, int)>("cuDeviceGet");
  auto* get_name =
      cupti::DriverFunction<int(char*, int, int)>("cuDeviceGetName");
  auto* attribute =
      cupti::DriverFunction<int(int*, int, int)>("cuDeviceGetAttribute");
  int count = 0;
  if (get_count == nullptr || get == nullptr || get_name == nullptr ||
      attribute == nullptr || get_count(&count) != 0) {
    return;
  }
  if (written.exchange(true)) return;
  for (int i = 0; i < count; ++i) {
    int device = 0;
    char name[256] = {};
    if (get(&device, i) != 0 || get_name(name, sizeof name - 1, device) != 0) {
      continue;
    }
    // 0: the driver does not say.
    const auto of = [&](int what) {
      int value = 0;
      attribute(&value, what, device);
      return static_cast<std::uint64_t>(value);
    };
    const std::uint64_t bus =
        of(kPciDomain) << 32 | of(kPciBus) << 8 | of(kPciDevice);
    const std::uint64_t memory = of(kMemoryClock) | of(kMemoryBusWidth) << 32;
    const std::uint64_t cores = of(kMultiprocessors) | of(kClock) << 32;
    const std::uint64_t capability = of(kMajor) << 8 | of(kMinor);
    WithNames([&](Names& names, TraceFile& file) {
      const auto id = static_cast<std::uint32_t>(i);
      names.Note(file, wire::Name::kDevice, id,
                 names.LastingString(file, {name, strlen(name)}), capability);
      names.Note(file, wire::Name::kBus, id, bus, 0);
      names.Note(file, wire::Name::kPeaks, id, memory, cores);
    });
  }
}

}  // namespace

void GpuRecords::InCuInit(std::uint64_t begin_ns, std::uint64_t end_ns) {
  cu_init_ = {cupti::DriverFunction<int(int*)>("cuDeviceGetCount"), begin_ns,
              end_ns, static_cast<std::uint32_t>(OsThread())};
  NoteOwnWork(begin_ns, end_ns);
}

void GpuRecords::NoteOwnWork(std::uint64_t begin_ns, std::uint64_t end_ns) {
  const QuietCall call;
  const LockWithin lock(output.mutex, kPatience);
  if (lock.held() && IsTraceOpen())
    WriteRecord(wire::Gpu::kOwnWork, 0, {begin_ns, end_ns, OsThread()});
}

void GpuRecords::Start(const cupti::ActivityFunctions& cupti,
                       const TimedCalls& timed, ActivityBuffers& buffers,
                       const Tuning& tuning) {
  if (has_thread_) return Restart();
  cupti_ = &cupti;
  timed_ = &timed;
  buffers_ = &buffers;
  times_calls_ = tuning.api != Tuning::Api::kNone;
  flush_ms_ = tuning.flush_ms;
  Restart();
  if (flush_ms_ > 0) has_thread_ = StartOwnThread(RunThread, this);
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
  const LockWithin lock(output.mutex, kPatience);
  if (!lock.held()) Count(File().live().dropped_records);
  // Records that come after a window are left out.
  void* record = nullptr;
  if (lock.held() && valid_size > 0 && IsTraceOpen()) {
    while (WriteBatch(buffer, valid_size, record)) {
    }
  }
  buffers_->Return(buffer);
}

void GpuRecords::Finish() {
  {
    // Our thread may be in CUPTI's flush, which may never return.
    const LockWithin lock(flush_mutex_, kPatience);
    if (!lock.held()) return;
    finished_ = true;
    WriteDeviceNames();
    cupti_->ActivityFlushAll(1);
  }
  const LockWithin lock(output.mutex, kPatience);
  if (lock.held()) output.stream.Seal(File());
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

// CUPTI has no record of the cuInit() inside which it was loaded, so the driver
// is asked until it answers. The record ends with the last refusal: this thread
// may run late, when the program is in another call.
void GpuRecords::AwaitCuInit() {
  constexpr int kNotInitialized = 3;    // CUDA_ERROR_NOT_INITIALIZED
  constexpr std::uint64_t kMost = 120;  // s; then it has failed
  if (cu_init_.get_count == nullptr || !times_calls_) return;
  int count = 0;
  while (cu_init_.get_count(&count) == kNotInitialized) {
    cu_init_.end_ns = RealtimeNs();
    const std::uint64_t s = (cu_init_.end_ns - cu_init_.begin_ns) / 1000000000;
    if (s >= kMost || ProgramEnds() || OwnThreadsAreAlone()) return;
    Sleep({0, s < 5 ? 1000000 : 50000000});
  }
  const LockWithin lock(output.mutex, kPatience);
  if (!lock.held() || !IsTraceOpen() || ProgramEnds()) return;
  WithNames([&](Names& names, TraceFile& file) {
    WriteTimed(names, file, wire::TimedCall::kLoad, "cuInit", cu_init_.thread,
               cu_init_.begin_ns, cu_init_.end_ns);
  });
}

void* GpuRecords::RunThread(void* argument) {
  auto& self = *static_cast<GpuRecords*>(argument);
  self.AwaitCuInit();
  for (;;) {
    Sleep({self.flush_ms_ / 1000, self.flush_ms_ % 1000 * 1000000});
    if (OwnThreadsAreAlone()) return nullptr;
    // Waits until no other thread writes: a buffer that is flushed is lost if
    // the lock is not free within kPatience.
    pthread_mutex_lock(&output.mutex);
    pthread_mutex_unlock(&output.mutex);
    self.Flush();
  }
}

// Locks the names for a few records at a time: threads of the program may be
// waiting to add a name. False: the buffer is read to its end.
bool GpuRecords::WriteBatch(std::uint8_t* buffer, std::size_t valid_size,
                            void*& record) {
  constexpr int kBatch = 64;
  bool more = true;
  // Freed without the lock: an allocator has locks of its own.
  void* to_free[kBatch] = {};
  const bool on = WithNames([&](Names& names, TraceFile& file) {
    for (int i = 0; i < kBatch && more; ++i) {
      more = cupti_->ActivityGetNextRecord(buffer, valid_size, &record) ==
             cupti::kSuccess;
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
    case cupti::kKernel:
    case cupti::kConcurrentKernel:
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
  const wire::TimedCall kind = timed_->KindOf(domain, record.function);
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
