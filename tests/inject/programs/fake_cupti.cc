// A stand-in for libcupti where there is no GPU: the functions that the tracer
// uses, with the manners that CUPTI 13 has (a callback at entry and exit of a
// driver call, records delivered in buffers from a thread of its own), and
// functions by which a test program launches kernels, copies and waits.
//
// FAKE_CUPTI=busy behaves as when another tool has subscribed, FAKE_CUPTI=old
// as a CUPTI of CUDA 11, FAKE_CUPTI=mps as where unified memory and overheads
// cannot be traced, FAKE_CUPTI=no_calls as where single calls cannot,
// FAKE_CUPTI=ends subscribes until exit() has run its library's destructors. A
// call after these ends the program with status 9. PM sampling is in
// fake_sampling.cc.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>

#include <time.h>
#include <unistd.h>

#include "cupti/activity_abi.h"

namespace {

using namespace rangefinder::cupti;

constexpr std::uint32_t kLaunchKernel = 307, kMemcpyAsync = 285,
                        kGraphLaunch = 514, kBeginCapture = 529,
                        kEndCapture = 530, kProfilerStart = 296,
                        kProfilerStop = 297;

constexpr Code kNoMigrations = 31;

struct Function {
  std::int32_t domain;
  std::uint32_t number;
  const char* name;
};
constexpr Function kFunctions[] = {
    {kDriverApi, kLaunchKernel, "cuLaunchKernel"},
    {kDriverApi, kMemcpyAsync, "cuMemcpyHtoDAsync_v2"},
    {kDriverApi, kGraphLaunch, "cuGraphLaunch"},
    {kDriverApi, kBeginCapture, "cuStreamBeginCapture_v2"},
    {kDriverApi, kEndCapture, "cuStreamEndCapture"},
    {kDriverApi, kProfilerStart, "cuProfilerStart"},
    {kDriverApi, kProfilerStop, "cuProfilerStop"},
    {kDriverApi, 19, "cuModuleLoadData"},
    {kDriverApi, 126, "cuStreamSynchronize"},
    {kDriverApi, 243, "cuMemAlloc_v2"},
    {kDriverApi, 276, "cuMemcpyHtoD_v2"},
    {kDriverApi, 387, "cuStreamSynchronize_ptsz"},
    {kDriverApi, 381, "cuMemAllocManaged"},
    {kRuntimeApi, 20, "cudaMalloc_v3020"},
    {kRuntimeApi, 31, "cudaMemcpy_v3020"},
    {kRuntimeApi, 206, "cudaMallocManaged_v6000"},
    {kRuntimeApi, 131, "cudaStreamSynchronize_v3020"},
    {kRuntimeApi, 240, "cudaStreamSynchronize_ptsz_v7000"},
};

std::mutex mutex;
std::atomic<bool> destroyed{false};
std::atomic<Callback> callback = nullptr;
std::atomic<void*> user_data = nullptr;
std::atomic<BufferRequested> requested = nullptr;
std::atomic<BufferCompleted> completed = nullptr;
std::atomic<bool> enabled[4096] = {};
std::atomic<bool> enabled_resource[64] = {};
std::atomic<bool> recorded[3][4096] = {};  // by domain
std::atomic<bool> enabled_kinds[64] = {};
bool migrations_are_configured = false;
std::uint8_t* buffer = nullptr;
std::size_t buffer_size = 0, used = 0;
std::uint32_t correlation = 100;
std::uint64_t gpu_ns = 0;

bool Wish(const char* what) {
  const char* text = std::getenv("FAKE_CUPTI");
  return text != nullptr && std::strcmp(text, what) == 0;
}

std::uint64_t Now() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void Deliver() {
  if (buffer == nullptr) return;
  std::uint8_t* const full = buffer;
  const std::size_t size = buffer_size, valid = used;
  buffer = nullptr;
  std::thread([=] { completed.load()(nullptr, 0, full, size, valid); }).join();
}

template <typename Record>
void Append(const Record& record) {
  const std::lock_guard lock(mutex);
  if (requested.load() == nullptr) return;  // nobody listens
  if (buffer != nullptr && used + sizeof record > buffer_size) Deliver();
  if (buffer == nullptr) {
    std::size_t most = 0;
    requested.load()(&buffer, &buffer_size, &most);
    used = 0;
    if (buffer == nullptr) return;
  }
  std::memcpy(buffer + used, &record, sizeof record);
  used += sizeof record;
}

// The call that the thread is in, as CUPTI sees it: one whose recording was
// switched off before it returned stays open, and later calls have its id.
thread_local std::uint32_t open_call = 0;

std::uint32_t NewCorrelation() {
  const std::lock_guard lock(mutex);
  return open_call != 0 ? open_call : ++correlation;
}

// A call of CUDA, which makes `inner` calls: calls the subscriber's callback as
// CUPTI does.
template <typename Inner>
void Call(std::int32_t domain, std::uint32_t function, const char* name,
          std::uint32_t id, Inner inner) {
  CallbackData data{};
  data.function_name = name;
  data.correlation_id = id;
  const bool heard = domain == kDriverApi && enabled[function];
  const std::uint64_t start = Now();
  const bool opened = recorded[domain][function] && open_call == 0;
  if (opened) open_call = id;
  if (heard) callback.load()(user_data, domain, function, &data);
  inner();
  if (opened && recorded[domain][function]) open_call = 0;
  data.site = kApiExit;
  if (heard) callback.load()(user_data, domain, function, &data);
  if (!recorded[domain][function]) return;
  CallRecord record{};
  record.kind = domain == kDriverApi ? kDriverCall : kRuntimeCall;
  record.function = function;
  record.start = start;
  // No launch is shorter, and two clocks may differ by that much.
  while (Now() < start + 4000) {
  }
  record.end = Now();
  record.thread = static_cast<std::uint32_t>(gettid());
  record.correlation = id;
  Append(record);
}

std::uint32_t Call(std::uint32_t function, const char* name) {
  const std::uint32_t id = NewCorrelation();
  Call(kDriverApi, function, name, id, [] {});
  return id;
}

// A microsecond of GPU time, after everything before it.
void Times(std::uint64_t& start, std::uint64_t& end) {
  const std::lock_guard lock(mutex);
  const std::uint64_t now = Now();
  start = gpu_ns > now ? gpu_ns : now;
  end = gpu_ns = start + 1000;
}

std::size_t SizeOf(const std::uint8_t* record) {
  std::int32_t kind;
  std::memcpy(&kind, record, sizeof kind);
  return kind == kConcurrentKernel ? sizeof(KernelRecord)
         : kind == kOverhead       ? sizeof(OverheadRecord)
         : kind == kUnifiedMemory  ? sizeof(UnifiedMemoryRecord)
         : kind == kDriverCall     ? sizeof(CallRecord)
         : kind == kRuntimeCall    ? sizeof(CallRecord)
                                   : sizeof(MemcpyRecord);
}

}  // namespace

extern "C" {

void FakeLaunch(const char* name, int kernels) {
  const std::uint32_t id = Call(kLaunchKernel, "cuLaunchKernel");
  if (!enabled_kinds[kConcurrentKernel]) return;
  for (int i = 0; i < kernels; ++i) {
    KernelRecord record{};
    record.kind = kConcurrentKernel;
    Times(record.start, record.end);
    record.stream = 7;
    record.context = 1;
    record.correlation = id;
    record.name = name;
    for (std::int32_t& edge : record.grid) edge = 2;
    for (std::int32_t& edge : record.block) edge = 4;
    record.graph_node = kernels > 1 ? static_cast<std::uint64_t>(i) + 1 : 0;
    Append(record);
  }
}

// A node is its own id. Captures one, as a launch on a capturing stream does.
unsigned long FakeNode(unsigned long copy_of) {
  static std::atomic<unsigned long> last{1000};
  const unsigned long node = ++last;
  GraphData graph{};
  graph.node = reinterpret_cast<void*>(node);
  graph.original_node = reinterpret_cast<void*>(copy_of);
  ResourceData data{};
  data.descriptor = &graph;
  const std::uint32_t what =
      copy_of != 0 ? kGraphNodeCloned : kGraphNodeCreated;
  if (enabled_resource[what])
    callback.load()(user_data, kResource, what, &data);
  return node;
}

// cudaProfilerStart() or cudaProfilerStop().
void FakeProfiler(int start) {
  Call(start != 0 ? kProfilerStart : kProfilerStop,
       start != 0 ? "cuProfilerStart" : "cuProfilerStop");
}

// Kernels of the graph that has these nodes.
void FakeGraphLaunch(const char* name, const unsigned long* nodes, int count) {
  const std::uint32_t id = Call(kGraphLaunch, "cuGraphLaunch");
  if (!enabled_kinds[kConcurrentKernel]) return;
  for (int i = 0; i < count; ++i) {
    KernelRecord record{};
    record.kind = kConcurrentKernel;
    Times(record.start, record.end);
    record.stream = 7;
    record.context = 1;
    record.correlation = id;
    record.name = name;
    record.graph_node = nodes[i];
    Append(record);
  }
}

// Of fake_sampling.cc, where it is linked.
__attribute__((weak)) bool FakeSessionIsOpen(int device);

// The driver loads the cubin in a file.
void FakeModule(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string cubin{std::istreambuf_iterator<char>(file), {}};
  const ModuleData module{1, cubin.size(), cubin.data()};
  ResourceData data{};
  data.descriptor = &module;
  if (enabled_resource[kModuleLoaded])
    callback.load()(user_data, kResource, kModuleLoaded, &data);
}

// Makes or destroys a context of a device, and calls the callbacks. A device
// that is sampled does not survive its last context.
std::atomic<int> contexts_of[8] = {};
void* FakeContext(int device) {
  static std::atomic<std::uintptr_t> last{0};
  ResourceData data{};
  data.context = reinterpret_cast<void*>(
      ++last << 8 | static_cast<std::uintptr_t>(device + 1));
  ++contexts_of[device];
  if (enabled_resource[kContextCreated])
    callback.load()(user_data, kResource, kContextCreated, &data);
  return data.context;
}
void FakeContextEnd(void* context) {
  ResourceData data{};
  data.context = context;
  if (enabled_resource[kContextDestroyStarting])
    callback.load()(user_data, kResource, kContextDestroyStarting, &data);
  const auto device =
      static_cast<int>(reinterpret_cast<std::uintptr_t>(context) & 0xFF) - 1;
  if (--contexts_of[device] == 0 && FakeSessionIsOpen != nullptr &&
      FakeSessionIsOpen(device))
    std::abort();
}
// cuStreamBeginCapture (`begins`) or cuStreamEndCapture, entered or left.
void FakeCapture(void* stream, int begins, int site, int result) {
  const std::uint32_t function = begins != 0 ? kBeginCapture : kEndCapture;
  CallbackData data{};
  data.site = site;
  data.function_params = &stream;
  data.function_return_value = &result;
  if (enabled[function])
    callback.load()(user_data, kDriverApi, function, &data);
}
Code cuptiGetDeviceId(void* context, std::uint32_t* device) {
  *device = (reinterpret_cast<std::uintptr_t>(context) & 0xFF) - 1;
  return 0;
}

Code cuptiGetGraphNodeId(void* node, std::uint64_t* id) {
  *id = reinterpret_cast<std::uint64_t>(node);
  return 0;
}

void FakeCopy(unsigned long bytes) {
  const std::uint32_t id = Call(kMemcpyAsync, "cuMemcpyAsync");
  MemcpyRecord record{};
  record.kind = kMemcpy;
  record.copy_kind = 1;
  record.source_kind = 1;  // pageable
  record.target_kind = 3;  // of the device
  record.bytes = bytes;
  Times(record.start, record.end);
  record.correlation = id;
  record.context = 1;
  record.stream = 7;
  Append(record);
}

// Work of the driver or CUPTI beside a call, for 5 us: OverheadRecord.
void FakeOverhead(int overhead, int object) {
  if (!enabled_kinds[kOverhead]) return;
  OverheadRecord record{};
  record.kind = kOverhead;
  record.overhead = overhead;
  record.object = object;
  record.process = static_cast<std::uint32_t>(getpid());
  record.thread = static_cast<std::uint32_t>(gettid());
  record.start = Now();
  record.end = record.start + 5000;
  if (overhead == kCommandBufferFull) record.data = std::malloc(12);
  Append(record);
}

// Pages of unified memory move, or a GPU faults.
void FakeMigration(int counter, unsigned source, unsigned target,
                   unsigned long value) {
  if (!enabled_kinds[kUnifiedMemory] || !migrations_are_configured) return;
  UnifiedMemoryRecord record{};
  record.kind = kUnifiedMemory;
  record.counter = counter;
  record.value = value;
  Times(record.start, record.end);
  record.source = source;
  record.target = target;
  Append(record);
}

// Calls of the runtime that each call the driver, or of the driver alone, by
// their names in kFunctions. Returns the correlation id.
std::uint32_t FakeCall(const char* runtime, const char* driver) {
  const auto find = [](const char* name) {
    for (const Function& function : kFunctions) {
      if (name != nullptr && std::strcmp(function.name, name) == 0)
        return &function;
    }
    return static_cast<const Function*>(nullptr);
  };
  const Function* const outer = find(runtime);
  const Function* const inner = find(driver);
  const std::uint32_t id = NewCorrelation();
  const auto call_driver = [&] {
    if (inner != nullptr)
      Call(kDriverApi, inner->number, inner->name, id, [] {});
  };
  if (outer != nullptr)
    Call(kRuntimeApi, outer->number, outer->name, id, call_driver);
  else
    call_driver();
  return id;
}

// A call of the driver that waits for so long.
void FakeWait(std::uint32_t us) {
  Call(kDriverApi, 126, "cuStreamSynchronize", NewCorrelation(),
       [us] { usleep(us); });
}

Code cuptiGetVersion(std::uint32_t* version) {
  *version = Wish("old") ? 17 : 130001;
  return 0;
}
Code cuptiGetResultString(Code result, const char** text) {
  switch (result) {
    case kMultipleSubscribers:
      *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
      break;
    case kInsufficientPrivileges:
      *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
      break;
    case kHardwareBusy:
      *text = "CUPTI_ERROR_HARDWARE_BUSY";
      break;
    case kNoMigrations:
      *text = "CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS";
      break;
    case 1:
      *text = "CUPTI_ERROR_INVALID_PARAMETER";
      break;
    default:
      *text = "CUPTI_ERROR_UNKNOWN";
      break;
  }
  return 0;
}
Code cuptiSubscribe(Subscriber* subscriber, Callback function, void* user) {
  if (Wish("busy")) return kMultipleSubscribers;
  std::atexit([] { destroyed = true; });
  while (Wish("ends") && !destroyed) usleep(1000);
  if (Wish("ends")) usleep(200000);
  callback = function;
  user_data = user;
  static int one;
  *subscriber = &one;
  return 0;
}
Code cuptiUnsubscribe(Subscriber) {
  return 0;
}
Code cuptiEnableCallback(std::uint32_t enable, Subscriber, std::int32_t domain,
                         std::uint32_t function) {
  if (destroyed) _exit(9);
  (domain == kResource ? enabled_resource : enabled)[function] = enable != 0;
  return 0;
}
Code cuptiGetCallbackName(std::int32_t domain, std::uint32_t function,
                          const char** name) {
  if (function == 0 || function > 800) return 1;
  *name = domain == kDriverApi ? "cuOther" : "cudaOther_v3020";
  for (const Function& known : kFunctions) {
    if (known.domain == domain && known.number == function) *name = known.name;
  }
  return 0;
}
Code cuptiActivityEnable(std::int32_t kind) {
  if (Wish("mps") && kind == kOverhead) return kNotSupported;
  enabled_kinds[kind] = true;
  return 0;
}
Code cuptiActivityDisable(std::int32_t kind) {
  if (destroyed) _exit(9);
  enabled_kinds[kind] = false;
  return 0;
}
Code cuptiActivityConfigureUnifiedMemoryCounter(UnifiedMemoryConfig* configs,
                                                std::uint32_t count) {
  if (Wish("mps")) return kNoMigrations;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (configs[i].scope != kScopeOfProcess || configs[i].enable == 0) return 1;
  }
  migrations_are_configured = count > 0;
  return 0;
}
Code cuptiActivityRegisterCallbacks(BufferRequested on_request,
                                    BufferCompleted on_complete) {
  requested = on_request;
  completed = on_complete;
  return 0;
}
Code cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t valid,
                                void** record) {
  auto* at = static_cast<std::uint8_t*>(*record);
  at = at == nullptr ? from : at + SizeOf(at);
  if (at + sizeof(CallRecord) > from + valid) return kMaxLimitReached;
  *record = at;
  return 0;
}
Code cuptiActivityGetNumDroppedRecords(void*, std::uint32_t,
                                       std::size_t* dropped) {
  *dropped = 0;
  return 0;
}
Code cuptiActivityFlushAll(std::uint32_t) {
  if (destroyed) _exit(9);
  const std::lock_guard lock(mutex);
  Deliver();
  return 0;
}
Code cuptiActivityEnableDriverApi(std::uint32_t function, std::uint8_t on) {
  recorded[kDriverApi][function] = on != 0;
  return 0;
}
Code cuptiActivityEnableRuntimeApi(std::uint32_t function, std::uint8_t on) {
  if (Wish("no_calls")) return kNotSupported;
  recorded[kRuntimeApi][function] = on != 0;
  return 0;
}
Code cuptiSetThreadIdType(std::int32_t) {
  return 0;
}

}  // extern "C"
