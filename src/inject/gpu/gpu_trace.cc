#include "inject/gpu/gpu_trace.h"

#include <atomic>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <string.h>
#include <time.h>

#include "cupti/activity_abi.h"
#include "inject/counters/counting.h"
#include "inject/counters/sampling.h"
#include "inject/gpu/activity_buffers.h"
#include "inject/gpu/cubin_lines.h"
#include "inject/gpu/gpu_records.h"
#include "inject/gpu/programs_cupti.h"
#include "inject/gpu/timed_calls.h"
#include "inject/process/own_call.h"
#include "inject/process/setting.h"
#include "inject/process/system_calls.h"
#include "inject/process/tuning.h"
#include "inject/trace/clock.h"
#include "inject/trace/recorder.h"
#include "inject/window/before.h"
#include "inject/window/watched_region.h"

namespace rangefinder::inject {
namespace {

struct GpuTrace {
  ProgramsCupti cupti{};
  cupti::Subscriber subscriber = nullptr;
  Tuning tuning{};
  ActivityBuffers buffers{};
  GpuRecords records{};
  // The driver's functions that launch, by number: wire::Call; 0: none.
  std::uint8_t launches[cupti::kMaxFunctions] = {};
  TimedCalls timed{};
  std::uint32_t stop = 0;  // cuProfilerStop, where it is watched
  // cuMemAllocManaged; 0: it is not watched.
  std::atomic<std::uint32_t> managed{0};
  // Whether tuning.api is kLaunches. Callbacks of the program's threads may run
  // while a thread of the library sets the tuning.
  std::atomic<bool> times_launches{false};
  std::atomic<bool> migrations{false};
  std::atomic<bool> sampling{false};
  bool attached = false, loads = false;  // of an armed process
};

constinit GpuTrace gpu{};

// Without a trace of the GPU, samples would belong to no launch.
void FailWith(const char* reason) {
  if (RecordingMode() == Mode::kCount) {
    CopyText(reason, File().live().counting_reason);
    File().live().counting = wire::CountingState::kFailed;
    return;
  }
  CopyText(reason, File().live().gpu_reason);
  File().live().gpu = wire::GpuState::kFailed;
  if (RecordingMode() != Mode::kSample) return;
  CopyText(reason, File().live().sampling_reason);
  File().live().sampling = wire::SamplingState::kFailed;
}

void Fail(const char* step, cupti::Code code) {
  char reason[256];
  gpu.cupti.SayFailure(step, code, reason, sizeof reason);
  FailWith(reason);
}

// ---- Launches --------------------------------------------------------------

wire::Call CallOf(std::string_view name) {
  if (name.starts_with("cuLaunchHostFunc")) return wire::Call{0};
  if (name.starts_with("cuLaunch")) return wire::Call::kKernel;
  if (name.starts_with("cuGraphLaunch")) return wire::Call::kGraph;
  if (name.starts_with("cuMemcpy")) return wire::Call::kCopy;
  if (name.starts_with("cuMemset")) return wire::Call::kSet;
  return wire::Call{0};
}

void Pause(bool pause);
void TraceMigrations();

// A node of a graph was created, on the thread that captures, builds or
// instantiates the graph: the ranges that are open there are the node's place
// in the program's text.
void OnGraphNode(std::uint32_t what, const cupti::ResourceData* data) {
  const auto* graph = static_cast<const cupti::GraphData*>(data->descriptor);
  if (graph == nullptr || graph->node == nullptr) return;
  std::uint64_t id = 0, original = 0;
  if (gpu.cupti.GetGraphNodeId(graph->node, &id) != cupti::kSuccess || id == 0)
    return;
  if (what == cupti::kGraphNodeCloned &&
      (graph->original_node == nullptr ||
       gpu.cupti.GetGraphNodeId(graph->original_node, &original) !=
           cupti::kSuccess)) {
    original = 0;
  }
  ThreadLog* log = EnterLog();
  if (log == nullptr) return;
  if (IsArmed()) KeepNode(*log, id, original);
  if (log->records())
    log->Record<2>(File(), wire::Event::kNode, 0, id, original);
  log->Leave();
}

void RecordSource(void*, const KernelLine& place) {
  char path[wire::kMaxSourcePath];
  constexpr std::uint64_t kMostLines = 1 << 28;  // of a record's id
  const std::size_t folder = place.directory.size();
  const std::size_t size = folder + (folder > 0 ? 1 : 0) + place.file.size();
  if (size > sizeof path || place.line >= kMostLines) return;
  char* const file = path + size - place.file.size();
  memcpy(path, place.directory.data(), folder);
  if (folder > 0) path[folder] = '/';
  memcpy(file, place.file.data(), place.file.size());
  WithNames([&](Names& names, TraceFile& trace) {
    const std::uint32_t kernel = names.LastingString(trace, place.kernel);
    const std::uint32_t text = names.LastingString(trace, {path, size});
    names.Note(trace, wire::Name::kSource,
               static_cast<std::uint32_t>(place.line), wire::Pack(kernel, text),
               0);
  });
}

// On the thread that loads the module, before a kernel of it is launched.
void OnModule(const cupti::ResourceData* data) {
  const auto* module = static_cast<const cupti::ModuleData*>(data->descriptor);
  if (module == nullptr || module->cubin == nullptr) return;
  const ProgramsCall call;
  ForEachKernelLine({module->cubin, module->size}, RecordSource, nullptr);
}

void OnDriverCall(std::uint32_t function, const cupti::CallbackData* data) {
  if (function >= cupti::kMaxFunctions) return;
  if (gpu.launches[function] == 0) {
    if (function == gpu.managed.load(std::memory_order_relaxed))
      return TraceMigrations();
    const bool stops = function == gpu.stop;
    return IsArmed() ? WatchProfilerCall(stops) : Pause(stops);
  }
  if (gpu.sampling && SamplingIsPending()) BeginPendingSampling();
  ThreadLog* log = EnterLog();
  if (log == nullptr) return;
  const bool recorded =
      log->records() &&
      log->Record<1>(File(), wire::Event::kLaunch, gpu.launches[function],
                     data->correlation_id);
  log->launching = recorded ? data->correlation_id : 0;
  log->Leave();
}

// The end belongs to the thread's last launch event. It is not recorded where
// that event was lost, or where the call began while recording was paused.
void OnDriverCallEnd(const cupti::CallbackData* data) {
  if (!gpu.times_launches.load(std::memory_order_relaxed)) return;
  ThreadLog* log = EnterLog();
  if (log == nullptr) return;
  if (log->launching != 0 && log->launching == data->correlation_id)
    log->Record(File(), wire::Event::kLaunched, 0);
  log->launching = 0;
  log->Leave();
}

void OnResource(std::uint32_t what, const cupti::ResourceData* data) {
  switch (what) {
    case cupti::kContextCreated: {
      const std::uint64_t begin_ns = RealtimeNs();
      OnContextCreated(data->context);
      return gpu.records.NoteOwnWork(begin_ns, RealtimeNs());
    }
    case cupti::kContextDestroyStarting:
      return OnContextDestroyStarting(data->context);
    case cupti::kModuleLoaded:
      return OnModule(data);
    default:
      return OnGraphNode(what, data);
  }
}

// CUPTI calls this on the thread that calls CUDA.
void OnCall(void*, std::int32_t domain, std::uint32_t what, const void* data) {
  if (gpu.sampling && IsSamplingCall()) return;
  if (IsArmed() && HearForCounting(domain, what, data)) return;
  if (domain == cupti::kDriverApi) {
    const auto* const call = static_cast<const cupti::CallbackData*>(data);
    if (call->site == cupti::kApiEnter) return OnDriverCall(what, call);
    if (call->site == cupti::kApiExit) return OnDriverCallEnd(call);
  } else if (domain == cupti::kResource) {
    OnResource(what, static_cast<const cupti::ResourceData*>(data));
  }
}

// Sampling itself begins later: no device has a context yet.
void WatchContexts() {
  gpu.sampling =
      RecordingMode() == Mode::kSample && StartSampling(gpu.cupti, gpu.tuning);
  gpu.cupti.EnableCallback(1, gpu.subscriber, cupti::kResource,
                           cupti::kContextCreated);
  if (gpu.sampling)
    gpu.cupti.EnableCallback(1, gpu.subscriber, cupti::kResource,
                             cupti::kContextDestroyStarting);
}

// Old CUPTIs do not report nodes; the work of a graph then belongs to its
// launch.
void WatchGraphNodes(bool on) {
  if (gpu.cupti.GetGraphNodeId == nullptr) return;
  for (const std::uint32_t what :
       {cupti::kGraphNodeCreated, cupti::kGraphNodeCloned})
    gpu.cupti.EnableCallback(on, gpu.subscriber, cupti::kResource, what);
}

void WatchModules(bool on) {
  if (!gpu.tuning.source) return;
  gpu.cupti.EnableCallback(on, gpu.subscriber, cupti::kResource,
                           cupti::kModuleLoaded);
  if (!on) return;
  WithNames([](Names& names, TraceFile& file) {
    names.Fact(file, "source", "lines");
  });
}

// Watches cuProfilerStart and cuProfilerStop, which launch nothing.
void WatchProfiler() {
  cupti::ForEachFunction(gpu.cupti, cupti::kDriverApi,
                         [](std::uint32_t id, std::string_view name) {
                           if (!name.starts_with("cuProfilerSt")) return;
                           if (name.starts_with("cuProfilerStop"))
                             gpu.stop = id;
                           gpu.cupti.EnableCallback(1, gpu.subscriber,
                                                    cupti::kDriverApi, id);
                         });
}

bool WatchLaunches() {
  if (!gpu.tuning.launches) return true;
  if (gpu.tuning.pausable) WatchProfiler();
  bool watched = false;
  cupti::ForEachFunction(
      gpu.cupti, cupti::kDriverApi, [&](std::uint32_t id, const char* name) {
        const wire::Call call = CallOf(name);
        if (call == wire::Call{0}) return;
        gpu.launches[id] = static_cast<std::uint8_t>(call);
        if (gpu.cupti.EnableCallback(1, gpu.subscriber, cupti::kDriverApi,
                                     id) == cupti::kSuccess)
          watched = true;
      });
  return watched;
}

void TimeNothing() {
  gpu.tuning.api = Tuning::Api::kNone;
  gpu.times_launches = false;
}

// No call is timed if CUPTI cannot record single calls, or has thread ids of
// its own.
void ChooseTimedCalls() {
  const bool has_threads = gpu.cupti.SetThreadIdType != nullptr &&
                           gpu.cupti.SetThreadIdType(
                               cupti::kThreadIdsOfTheSystem) == cupti::kSuccess;
  if (!has_threads || gpu.cupti.ActivityEnableDriverApi == nullptr ||
      gpu.cupti.ActivityEnableRuntimeApi == nullptr)
    TimeNothing();
  if (gpu.tuning.api != Tuning::Api::kNone || (has_threads && IsArmed()))
    gpu.timed.Choose(gpu.cupti);
}

// Without this data, the rest of the trace is complete.
void NoteFailure(const char* what, const char* step, cupti::Code code) {
  char reason[256];
  gpu.cupti.SayFailure(step, code, reason, sizeof reason);
  WithNames(
      [&](Names& names, TraceFile& file) { names.Fact(file, what, reason); });
}

// Migrations of pages are traced from the first allocation of managed memory
// on: CUPTI needs long to prepare their tracing, and cannot do this inside
// cuInit(). So programs without managed memory do not wait.
void WatchManagedMemory() {
  if (gpu.tuning.api == Tuning::Api::kNone ||
      gpu.cupti.ActivityConfigureUnifiedMemoryCounter == nullptr) {
    return;
  }
  cupti::ForEachFunction(gpu.cupti, cupti::kDriverApi,
                         [](std::uint32_t id, std::string_view name) {
                           if (name.starts_with("cuMemAllocManaged"))
                             gpu.managed = id;
                         });
  if (gpu.managed != 0)
    gpu.cupti.EnableCallback(1, gpu.subscriber, cupti::kDriverApi, gpu.managed);
}

// On the thread that allocates managed memory, before the allocation.
void TraceMigrations() {
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return;
  const ProgramsCall call;
  cupti::UnifiedMemoryConfig configs[4] = {};
  constexpr std::int32_t kCounters[4] = {
      cupti::kPagesToDevice, cupti::kPagesToHost, cupti::kPagesBetweenDevices,
      cupti::kGpuPageFault};
  for (std::size_t i = 0; i < 4; ++i)
    configs[i] = {cupti::kScopeOfProcess, kCounters[i], 0, 1};
  const char* step = "cuptiActivityConfigureUnifiedMemoryCounter";
  cupti::Code code =
      gpu.cupti.ActivityConfigureUnifiedMemoryCounter(configs, 4);
  if (code == cupti::kSuccess && IsTraceOpen()) {
    step = "cuptiActivityEnable";
    code = gpu.cupti.ActivityEnable(cupti::kUnifiedMemory);
  }
  gpu.migrations = code == cupti::kSuccess;
  if (code != cupti::kSuccess) NoteFailure("migrations", step, code);
}

// ---- Buffers ---------------------------------------------------------------

// On an application thread, inside a CUDA call.
void OnBufferRequested(std::uint8_t** buffer, std::size_t* size,
                       std::size_t* most_records) {
  *buffer = gpu.buffers.Take();
  *size = *buffer != nullptr ? gpu.buffers.size() : 0;
  *most_records = 0;  // as many as fit
}

// On CUPTI's own thread, or on the one that flushes.
void OnBufferCompleted(void* context, std::uint32_t stream,
                       std::uint8_t* buffer, std::size_t,
                       std::size_t valid_size) {
  if (buffer != nullptr) gpu.records.Take(buffer, valid_size);
  std::size_t dropped = 0;
  if (gpu.cupti.ActivityGetNumDroppedRecords(context, stream, &dropped) ==
          cupti::kSuccess &&
      dropped > 0) {
    Count(File().live().dropped_records, dropped);
  }
}

// ---- The end ---------------------------------------------------------------

// Waits a little for work that is still running on the legacy stream: a program
// may end right after its last launch. Never for long, and never in a blocking
// call: a kernel may run for ever.
void AwaitIdle() {
  auto* query = cupti::DriverFunction<int(void*)>("cuStreamQuery");
  auto* current = cupti::DriverFunction<int(void**)>("cuCtxGetCurrent");
  void* context = nullptr;
  if (query == nullptr || current == nullptr || current(&context) != 0 ||
      context == nullptr) {
    return;
  }
  constexpr int kNotReady = 600;
  for (int i = 0; i < 500 && query(nullptr) == kNotReady; ++i) {
    timespec pause{0, 2000000};
    Sleep(pause);
  }
}

void LastFlush() {
  if (RecordingMode() == Mode::kCount) return FinishCounting();
  if (IsArmed() && !gpu.attached) return;
  AwaitIdle();
  if (gpu.sampling) FinishSampling();
  gpu.records.Finish();
}

// ---- The beginning ---------------------------------------------------------

// Called before anything in CUPTI is enabled. CUPTI ignores an attribute that
// it does not know.
void SetAttributes() {
  if (gpu.cupti.ActivitySetAttribute == nullptr) return;
  auto pinned = static_cast<std::uint8_t>(gpu.tuning.pinned);
  std::size_t size = sizeof pinned;
  gpu.cupti.ActivitySetAttribute(cupti::kPinnedDeviceBuffers, &size, &pinned);
}

// Where calls cannot be recorded, launches are not timed either: a reader
// treats the times of all calls as known, or the times of none. In an armed
// process CUPTI records calls whatever Tuning::api is: see RestGpuTrace().
void EnableTiming() {
  if (gpu.tuning.api == Tuning::Api::kNone && !IsArmed()) return;
  cupti::Code code = gpu.timed.Enable(gpu.cupti, true);
  if (code != cupti::kSuccess) {
    gpu.timed.Enable(gpu.cupti, false);
    TimeNothing();
    return NoteFailure("calls", "cuptiActivityEnableRuntimeApi", code);
  }
  code = gpu.cupti.ActivityEnable(cupti::kOverhead);
  if (code != cupti::kSuccess)
    NoteFailure("overheads", "cuptiActivityEnable", code);
  if (gpu.migrations) gpu.cupti.ActivityEnable(cupti::kUnifiedMemory);
}

bool EnableActivity() {
  const Tuning& tuning = gpu.tuning;
  const auto enable = [](cupti::Kind kind) {
    const cupti::Code code = gpu.cupti.ActivityEnable(kind);
    if (code != cupti::kSuccess) Fail("cuptiActivityEnable", code);
    return code == cupti::kSuccess;
  };
  if (tuning.kernels != Tuning::Kernels::kNone &&
      !enable(tuning.kernels == Tuning::Kernels::kGraphs
                  ? cupti::kGraphTrace
                  : cupti::kConcurrentKernel)) {
    return false;
  }
  if (tuning.copies) {
    if (!enable(cupti::kMemcpy) || !enable(cupti::kMemset)) return false;
    gpu.cupti.ActivityEnable(cupti::kMemcpyPeer);  // where there are peers
  }
  EnableTiming();
  return true;
}

void WatchResources(bool on) {
  WatchGraphNodes(on || ArmsGraphs());
  WatchModules(on);
}

void DisableActivity() {
  for (const cupti::Kind kind :
       {cupti::kConcurrentKernel, cupti::kMemcpy, cupti::kMemset,
        cupti::kMemcpyPeer, cupti::kOverhead, cupti::kUnifiedMemory})
    gpu.cupti.ActivityDisable(kind);
}

// For benchmarks (Tuning::pausable), whose only thread is in no call that is
// watched: otherwise see RestGpuTrace().
void Pause(bool pause) {
  for (std::uint32_t id = 1; id < cupti::kMaxFunctions; ++id) {
    if (gpu.launches[id] != 0)
      gpu.cupti.EnableCallback(!pause, gpu.subscriber, cupti::kDriverApi, id);
  }
  WatchResources(!pause);
  if (pause) {
    gpu.timed.Enable(gpu.cupti, false);
    DisableActivity();
  } else {
    EnableActivity();
  }
}

// Writes the facts of tracing, and writes CUPTI's records from here on.
void StartRecords() {
  const char* const tune = Setting("RANGEFINDER_INJECT_TUNE");
  WithNames([&](Names& names, TraceFile& file) {
    names.Fact(file, "api", NameOf(gpu.tuning.api));
    if (tune != nullptr && *tune != '\0') names.Fact(file, "tune", tune);
  });
  gpu.records.Start(gpu.cupti, gpu.timed, gpu.buffers, gpu.tuning);
  File().live().gpu = wire::GpuState::kTracing;
}

// Whether another thread is in exit(), which runs CUPTI's handlers as soon as
// CUPTI registers them, and ours soon afterwards: within the pause. Without a
// window this thread is in cuInit(), and the program would pay for the pause.
bool ExitHasBegun() {
  if (!IsTraceOpen()) return false;
  timespec pause{0, 10000000};
  Sleep(pause);
  return ProgramEnds();
}

// Subscribing comes before all else: if it fails, another tool uses CUPTI, and
// nothing in CUPTI may be changed. In an armed process another thread may call
// exit() meanwhile. It runs the handler that was registered last, and waits in
// ours for the window: so ours is registered before CUPTI registers its own,
// and again afterwards.
bool Subscribe() {
  if (gpu.subscriber != nullptr) return true;
  const bool loads = IsArmed() && !std::exchange(gpu.loads, true);
  if (loads) RegisterFinish();
  char reason[256];
  const bool opened = gpu.cupti.Open(reason, sizeof reason);
  if (loads) RegisterFinish();
  if (!opened) {
    FailWith(reason);
    return false;
  }
  const cupti::Code code =
      gpu.cupti.Subscribe(&gpu.subscriber, OnCall, nullptr);
  if (code != cupti::kSuccess) {
    gpu.subscriber = nullptr;
    Fail("cuptiSubscribe", code);
    return false;
  }
  if (!IsArmed()) return true;
  RegisterFinish();
  if (ExitHasBegun()) {
    gpu.subscriber = nullptr;
    FailWith("the program ends");
    return false;
  }
  WatchForCounting(gpu.cupti, gpu.subscriber);
  SetLastFlush(LastFlush);
  return true;
}

void Unsubscribe() {
  gpu.cupti.Unsubscribe(gpu.subscriber);
  gpu.subscriber = nullptr;
}

bool Attach() {
  gpu.tuning = ReadTuning();
  gpu.times_launches = gpu.tuning.api == Tuning::Api::kLaunches;
  gpu.buffers.Prepare(gpu.tuning);
  if (!Subscribe()) return false;
  SetAttributes();
  ChooseTimedCalls();
  const cupti::Code code =
      gpu.cupti.ActivityRegisterCallbacks(OnBufferRequested, OnBufferCompleted);
  if (code != cupti::kSuccess) {
    Fail("cuptiActivityRegisterCallbacks", code);
  } else if (!WatchLaunches()) {
    Fail("cuptiEnableCallback", cupti::kSuccess);
  } else {
    return true;
  }
  Unsubscribe();
  return false;
}

}  // namespace

void SeeGraphs() {
  if (!Subscribe()) return;
  WatchGraphNodes(true);
  WatchProfiler();
}

bool PrepareGpuTrace() {
  if (!gpu.attached) {
    if (!Attach()) return false;
    gpu.attached = true;
    WatchManagedMemory();
  }
  File().live().cupti_version = gpu.cupti.version;
  WatchContexts();
  if (gpu.sampling) WakeSampling();
  return true;
}

void PrepareGpuCount() {
  if (!Subscribe()) return;
  File().live().cupti_version = gpu.cupti.version;
  PrepareCounting(gpu.cupti);
}

void WakeGpuTrace() {
  StartRecords();
  WatchResources(true);
  EnableActivity();
}

// The callbacks and the records of calls stay on. If they were switched off
// while a thread is in a call, CUPTI would not see the end of this call: it
// gives all later calls of the thread the correlation id of this one, and after
// some windows no callbacks (CUPTI 13.0.1, 2026-11-25).
void RestGpuTrace() {
  gpu.records.Rest();
  DisableActivity();
  WatchResources(false);
}

void FinishGpuTrace() {
  if (gpu.sampling) RestSampling();
  gpu.records.Finish();
}

void StartGpuTrace(std::uint64_t begin_ns) {
  static std::atomic<bool> started{false};
  if (started.exchange(true) || !HasLog() || !Attach()) return;
  if (!EnableActivity()) return Unsubscribe();
  WatchManagedMemory();
  WatchResources(true);
  WatchContexts();
  gpu.records.InCuInit(begin_ns, RealtimeNs());
  StartRecords();
  SetLastFlush(LastFlush);
  // Again, now that CUPTI is loaded: the flush must run before CUPTI's exit
  // handlers.
  RegisterFinish();
}

}  // namespace rangefinder::inject
