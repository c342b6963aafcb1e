#include "inject/gpu_trace.h"

#include <atomic>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "inject/activity_buffers.h"
#include "inject/cupti_library.h"
#include "inject/recorder.h"

namespace rangefinder::inject {
namespace {

constexpr std::uint32_t kFlushPeriodMs = 1000;

struct GpuTrace {
  cupti::Functions cupti{};
  cupti::Subscriber subscriber = nullptr;
  ActivityBuffers buffers{};
  Stream stream{};  // of GPU records, under records_mutex
  bool stream_started = false;
  // What a driver function does, by its number; 0: nothing of interest.
  std::uint8_t calls[cupti::kMaxDriverFunctions] = {};
};

constinit GpuTrace gpu{};
pthread_mutex_t records_mutex = PTHREAD_MUTEX_INITIALIZER;

void Fail(const char* step, cupti::Result result) {
  const char* text = nullptr;
  if (gpu.cupti.GetResultString != nullptr) {
    gpu.cupti.GetResultString(result, &text);
  }
  char reason[256];
  if (result == cupti::kMultipleSubscribers ||
      result == cupti::kMaxLimitReached) {
    snprintf(reason, sizeof reason,
             "another tool uses CUPTI in this process (%s)",
             text != nullptr ? text : step);
  } else if (result == cupti::kInsufficientPrivileges) {
    snprintf(reason, sizeof reason, "no permission to trace the GPU (%s)",
             text != nullptr ? text : step);
  } else {
    snprintf(reason, sizeof reason, "%s failed: %s (%d)", step,
             text != nullptr ? text : "unknown error", result);
  }
  File().GpuReason(reason);
  File().live().gpu = wire::GpuState::kFailed;
}

// ---- Launches --------------------------------------------------------------

bool StartsWith(const char* name, const char* prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

wire::Call CallOf(const char* name) {
  if (StartsWith(name, "cuLaunchHostFunc")) return wire::Call{0};
  if (StartsWith(name, "cuLaunch")) return wire::Call::kKernel;
  if (StartsWith(name, "cuGraphLaunch")) return wire::Call::kGraph;
  if (StartsWith(name, "cuMemcpy")) return wire::Call::kCopy;
  if (StartsWith(name, "cuMemset")) return wire::Call::kSet;
  return wire::Call{0};
}

void OnDriverCall(void*, std::int32_t, std::uint32_t function,
                  const cupti::CallbackData* data) {
  if (data->site != cupti::kApiEnter ||
      function >= cupti::kMaxDriverFunctions) {
    return;
  }
  ThreadLog* log = MyLog();
  if (log == nullptr || !log->Enter(File())) return;
  log->Record<1>(File(), wire::Event::kLaunch, gpu.calls[function],
                 data->correlation_id);
  log->Leave();
}

// RANGEFINDER_INJECT_LAUNCHES=0 leaves the launches out, which shows what CUPTI
// alone costs. No kernel has a region then.
bool WatchLaunches() {
  const char* wish = getenv("RANGEFINDER_INJECT_LAUNCHES");
  if (wish != nullptr && strcmp(wish, "0") == 0) return true;
  int watched = 0;
  int unknown = 0;  // in a row: numbers of removed functions, or the end
  for (std::uint32_t id = 1; id < cupti::kMaxDriverFunctions; ++id) {
    const char* name = nullptr;
    if (gpu.cupti.GetCallbackName(cupti::kDriverApi, id, &name) !=
            cupti::kSuccess ||
        name == nullptr) {
      if (++unknown > 64) break;
      continue;
    }
    unknown = 0;
    const wire::Call call = CallOf(name);
    if (call == wire::Call{0}) continue;
    gpu.calls[id] = static_cast<std::uint8_t>(call);
    watched += gpu.cupti.EnableCallback(1, gpu.subscriber, cupti::kDriverApi,
                                        id) == cupti::kSuccess;
  }
  return watched > 0;
}

// ---- Records ---------------------------------------------------------------

bool WriteRecord(wire::Gpu kind, std::uint32_t operand,
                 const std::uint64_t (&words)[wire::kGpuWords]) {
  TraceFile& file = File();
  if (!gpu.stream_started) {
    gpu.stream.Start(file, wire::BlockKind::kGpu, 0);
    gpu.stream_started = true;
  }
  if (!gpu.stream.Reserve(file, wire::kGpuWords + 1)) {
    Count(file.live().dropped_events);
    return false;
  }
  for (std::size_t i = 0; i < wire::kGpuWords; ++i) {
    gpu.stream.Put(i + 1, words[i]);
  }
  gpu.stream.Commit(wire::GpuWord(kind, operand, wire::kGpuWords),
                    wire::kGpuWords + 1);
  return true;
}

template <typename Record>
std::uint32_t PlaceOf(Names& names, TraceFile& file, const Record& record) {
  return names.Place(file, {record.device, record.context, record.stream});
}

void Write(Names& names, TraceFile& file, const cupti::KernelRecord& record) {
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

template <typename Record>
void WriteCopy(Names& names, TraceFile& file, wire::Gpu kind,
               std::uint32_t operand, const Record& record) {
  const std::uint32_t place = PlaceOf(names, file, record);
  WriteRecord(kind, operand,
              {record.start, record.end, wire::Pack(record.correlation, place),
               record.bytes, record.graph_node});
}

void WriteAny(Names& names, TraceFile& file, const void* record) {
  switch (*static_cast<const std::int32_t*>(record)) {
    case cupti::kConcurrentKernel:
      Write(names, file, *static_cast<const cupti::KernelRecord*>(record));
      break;
    case cupti::kMemcpy: {
      const auto& copy = *static_cast<const cupti::MemcpyRecord*>(record);
      WriteCopy(names, file, wire::Gpu::kCopy, copy.copy_kind, copy);
      break;
    }
    case cupti::kMemcpyPeer: {
      const auto& copy = *static_cast<const cupti::MemcpyPeerRecord*>(record);
      WriteCopy(names, file, wire::Gpu::kCopy, copy.copy_kind, copy);
      break;
    }
    case cupti::kMemset:
      WriteCopy(names, file, wire::Gpu::kSet, 0,
                *static_cast<const cupti::MemsetRecord*>(record));
      break;
    default:
      break;
  }
}

// On an application thread, inside a CUDA call.
void OnBufferRequested(std::uint8_t** buffer, std::size_t* size,
                       std::size_t* most_records) {
  *buffer = gpu.buffers.Take();
  *size = *buffer != nullptr ? ActivityBuffers::kSize : 0;
  *most_records = 0;  // as many as fit
}

// The names are locked for a few records at a time: application threads may be
// waiting to add one. False: the buffer is read to its end.
bool WriteBatch(std::uint8_t* buffer, std::size_t valid_size, void*& record) {
  constexpr int kBatch = 64;
  bool more = true;
  const bool on = WithNames([&](Names& names, TraceFile& file) {
    for (int i = 0; i < kBatch && more; ++i) {
      more = gpu.cupti.ActivityGetNextRecord(buffer, valid_size, &record) ==
             cupti::kSuccess;
      if (more) WriteAny(names, file, record);
    }
  });
  return on && more;
}

// On CUPTI's own thread, or on the one that flushes.
void OnBufferCompleted(void* context, std::uint32_t stream,
                       std::uint8_t* buffer, std::size_t,
                       std::size_t valid_size) {
  pthread_mutex_lock(&records_mutex);
  void* record = nullptr;
  if (buffer != nullptr && valid_size > 0) {
    while (WriteBatch(buffer, valid_size, record)) {
    }
  }
  pthread_mutex_unlock(&records_mutex);
  if (buffer != nullptr) gpu.buffers.Return(buffer);
  std::size_t dropped = 0;
  if (gpu.cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) ==
          cupti::kSuccess &&
      dropped > 0) {
    Count(File().live().dropped_records, dropped);
  }
}

// ---- The end ---------------------------------------------------------------

// Waits a little for work still running on the legacy stream: a program may end
// right after its last launch. Never for long, and never in a blocking call:
// its kernels may run for ever.
void AwaitIdle() {
  using StreamQuery = int(void*);
  using CurrentContext = int(void**);
  auto* query = reinterpret_cast<StreamQuery*>(DriverFunction("cuStreamQuery"));
  auto* current =
      reinterpret_cast<CurrentContext*>(DriverFunction("cuCtxGetCurrent"));
  void* context = nullptr;
  if (query == nullptr || current == nullptr || current(&context) != 0 ||
      context == nullptr) {
    return;
  }
  constexpr int kNotReady = 600;
  for (int i = 0; i < 500 && query(nullptr) == kNotReady; ++i) {
    timespec pause{0, 2000000};
    nanosleep(&pause, nullptr);
  }
}

void LastFlush() {
  AwaitIdle();
  gpu.cupti.ActivityFlushAll(1);
  pthread_mutex_lock(&records_mutex);
  gpu.stream.Seal(File());
  pthread_mutex_unlock(&records_mutex);
}

std::uint32_t FlushPeriod() {
  const char* text = getenv("RANGEFINDER_INJECT_FLUSH_MS");
  if (text == nullptr || *text == '\0') return kFlushPeriodMs;
  return static_cast<std::uint32_t>(strtoul(text, nullptr, 10));
}

bool EnableActivity() {
  for (const cupti::Kind kind :
       {cupti::kConcurrentKernel, cupti::kMemcpy, cupti::kMemset}) {
    const cupti::Result result = gpu.cupti.ActivityEnable(kind);
    if (result != cupti::kSuccess) {
      Fail("cuptiActivityEnable", result);
      return false;
    }
  }
  gpu.cupti.ActivityEnable(cupti::kMemcpyPeer);  // where there are peers
  const std::uint32_t period = FlushPeriod();
  if (period > 0 && gpu.cupti.ActivityFlushPeriod != nullptr) {
    gpu.cupti.ActivityFlushPeriod(period);
  }
  return true;
}

bool Attach() {
  const char* reason = nullptr;
  if (!OpenCupti(gpu.cupti, &reason)) {
    File().GpuReason(reason);
    File().live().gpu = wire::GpuState::kFailed;
    return false;
  }
  std::uint32_t version = 0;
  gpu.cupti.GetVersion(&version);
  File().live().cupti_version = version;
  if (version < cupti::kOldestVersion) {
    File().GpuReason("this CUPTI is older than CUDA 12");
    File().live().gpu = wire::GpuState::kFailed;
    return false;
  }
  // Subscribing comes first: where it fails another tool is at work, and
  // nothing of CUPTI's may be touched.
  cupti::Result result =
      gpu.cupti.Subscribe(&gpu.subscriber, OnDriverCall, nullptr);
  if (result != cupti::kSuccess) {
    Fail("cuptiSubscribe", result);
    return false;
  }
  result =
      gpu.cupti.ActivityRegisterCallbacks(OnBufferRequested, OnBufferCompleted);
  if (result != cupti::kSuccess) {
    Fail("cuptiActivityRegisterCallbacks", result);
  } else if (!WatchLaunches()) {
    Fail("cuptiEnableCallback", cupti::kSuccess);
  } else if (EnableActivity()) {
    return true;
  }
  gpu.cupti.Unsubscribe(gpu.subscriber);
  return false;
}

}  // namespace

void StartGpuTrace() {
  static std::atomic<bool> started{false};
  if (started.exchange(true)) return;
  if (MyLog() == nullptr) return;
  gpu.buffers.Prepare();
  if (!Attach()) return;
  File().live().gpu = wire::GpuState::kTracing;
  SetLastFlush(LastFlush);
  // Once more, now that CUPTI is loaded: the flush must run before whatever it
  // registered.
  RegisterFinish();
}

}  // namespace rangefinder::inject
