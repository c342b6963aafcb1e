// CUPTI's activity records and callbacks, declared here: code that uses CUPTI
// builds the same with or without a CUDA toolkit, and works with CUPTI 12 and
// 13 at run time. Records grow at their end from release to release; the fields
// below have kept their places since CUDA 11 (abi_test.cc compares them with
// the installed headers).

#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/errors.h"

namespace rangefinder::cupti {

// Values of cuptiGetVersion(): 18 is CUDA 12.0, 130000 is 13.0. Older records
// differ.
inline constexpr std::uint32_t kOldestVersion = 18;

enum Kind : std::int32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriverCall = 4,
  kRuntimeCall = 5,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kMemcpyPeer = 22,
  kUnifiedMemory = 25,
  kGraphTrace = 51,  // a record for each launch of a graph, none for its nodes
};

// An attribute of the activity API.
inline constexpr std::int32_t kPinnedDeviceBuffers = 8;
// A type of thread ids.
inline constexpr std::int32_t kThreadIdsOfTheSystem = 1;

struct alignas(8) KernelRecord {
  std::int32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers;
  std::int32_t unused_a[2];
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_per_thread;
  std::uint32_t local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* unused_b;
  std::uint64_t queued;
  std::uint64_t submitted;
  std::uint8_t launch_type;
  std::uint8_t unused_c[3];
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
};

struct alignas(8) MemcpyRecord {
  std::int32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t runtime_correlation;
  std::uint32_t unused_a;
  void* unused_b;
  std::uint64_t graph_node;
};

struct alignas(8) MemcpyPeerRecord {
  std::int32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t source_kind;
  std::uint8_t target_kind;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t peers[4];
  std::uint32_t correlation;
  void* unused;
  std::uint64_t graph_node;
};

struct alignas(8) MemsetRecord {
  std::int32_t kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t flags;
  std::uint16_t memory_kind;
  std::uint32_t unused_a;
  void* unused_b;
  std::uint64_t graph_node;
};

// For kDriverCall and kRuntimeCall.
struct alignas(8) CallRecord {
  std::int32_t kind;
  std::uint32_t function;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t correlation;
  std::uint32_t result;
};

// Time that the driver or CUPTI needs in addition to the work of a call.
struct alignas(8) OverheadRecord {
  std::int32_t kind;
  std::int32_t overhead;
  std::int32_t object;
  std::uint32_t process;  // if `object` is kThreadObject
  std::uint32_t thread;
  std::uint32_t unused_a;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t unused_b[2];
  // Since CUDA 12.4, only for kCommandBufferFull: the reader of the record has
  // to free() it.
  void* data;
};
// Values of OverheadRecord::overhead.
inline constexpr std::int32_t kDriverCompiler = 1;
inline constexpr std::int32_t kModuleLoading = 4 << 16;
inline constexpr std::int32_t kLazyLoading = 5 << 16;
inline constexpr std::int32_t kCommandBufferFull = 6 << 16;
// Values of OverheadRecord::object.
inline constexpr std::int32_t kThreadObject = 2;

// Unified memory: moved pages, or faults of a GPU.
struct alignas(8) UnifiedMemoryRecord {
  std::int32_t kind;
  std::int32_t counter;
  std::uint64_t value;  // bytes, or the number of faults
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t address;
  std::uint32_t source, target;  // devices, or kUnifiedMemoryCpu
  std::uint32_t stream;
  std::uint32_t process;
};
inline constexpr std::uint32_t kUnifiedMemoryCpu = 0xFFFFFFFF;
struct UnifiedMemoryConfig {
  std::int32_t scope;
  std::int32_t counter;
  std::uint32_t device;
  std::uint32_t enable;
};
// Values of UnifiedMemoryRecord::counter.
inline constexpr std::int32_t kPagesToDevice = 1;
inline constexpr std::int32_t kPagesToHost = 2;
inline constexpr std::int32_t kGpuPageFault = 4;
inline constexpr std::int32_t kPagesBetweenDevices = 8;
// Values of UnifiedMemoryConfig::scope; since CUDA 7 this covers all devices.
inline constexpr std::int32_t kScopeOfProcess = 1;

static_assert(sizeof(CallRecord) == 40);
static_assert(offsetof(OverheadRecord, start) == 24);
static_assert(offsetof(OverheadRecord, data) == 48);
static_assert(offsetof(UnifiedMemoryRecord, source) == 40);
static_assert(offsetof(KernelRecord, start) == 16);
static_assert(offsetof(KernelRecord, correlation) == 92);
static_assert(offsetof(KernelRecord, graph_node) == 144);
static_assert(offsetof(MemcpyRecord, graph_node) == 64);
static_assert(offsetof(MemcpyPeerRecord, correlation) == 60);
static_assert(offsetof(MemcpyPeerRecord, graph_node) == 72);
static_assert(offsetof(MemsetRecord, graph_node) == 64);

// ---- Callbacks -------------------------------------------------------------

enum Domain : std::int32_t { kDriverApi = 1, kRuntimeApi = 2, kResource = 3 };
// Callbacks of kResource.
inline constexpr std::uint32_t kContextCreated = 1;
inline constexpr std::uint32_t kContextDestroyStarting = 2;
inline constexpr std::uint32_t kModuleLoaded = 6;
inline constexpr std::uint32_t kGraphNodeCreated = 13;
inline constexpr std::uint32_t kGraphNodeCloned = 20;
inline constexpr std::int32_t kApiEnter = 0;
inline constexpr std::int32_t kApiExit = 1;
// Functions of the driver and of the runtime have numbers below this, and are
// found by name.
inline constexpr std::uint32_t kMaxFunctions = 4096;

struct CallbackData {
  std::int32_t site;
  const char* function_name;
  const void* function_params;
  void* function_return_value;
  const char* symbol_name;
  void* context;
  std::uint32_t context_uid;
  std::uint64_t* correlation_data;
  std::uint32_t correlation_id;
};

// The data of a callback of kResource.
struct ResourceData {
  void* context;
  void* handle;
  const void* descriptor;  // GraphData or ModuleData
};

struct ModuleData {
  std::uint32_t id;
  std::size_t size;  // of the cubin
  const char* cubin;
};

struct GraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
};
static_assert(offsetof(CallbackData, correlation_id) == 64);

// ---- Functions -------------------------------------------------------------

using Subscriber = void*;
using Callback = void (*)(void* user, std::int32_t domain,
                          std::uint32_t function, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* most_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream,
                                 std::uint8_t* buffer, std::size_t size,
                                 std::size_t valid_size);

// The functions in one copy of CUPTI that take no record of host_abi.h's kind.
struct ActivityFunctions {
  Code (*GetVersion)(std::uint32_t* version);
  Code (*GetResultString)(Code code, const char** text);
  Code (*Subscribe)(Subscriber* subscriber, Callback callback, void* user);
  Code (*Unsubscribe)(Subscriber subscriber);
  Code (*EnableCallback)(std::uint32_t enable, Subscriber subscriber,
                         std::int32_t domain, std::uint32_t function);
  Code (*GetCallbackName)(std::int32_t domain, std::uint32_t function,
                          const char** name);
  Code (*ActivityEnable)(std::int32_t kind);
  Code (*ActivityDisable)(std::int32_t kind);
  Code (*ActivityRegisterCallbacks)(BufferRequested requested,
                                    BufferCompleted completed);
  Code (*ActivityGetNextRecord)(std::uint8_t* buffer, std::size_t valid_size,
                                void** record);
  Code (*ActivityGetNumDroppedRecords)(void* context, std::uint32_t stream,
                                       std::size_t* dropped);
  Code (*ActivityFlushAll)(std::uint32_t flag);
  // May be null.
  Code (*ActivitySetAttribute)(std::int32_t attribute, std::size_t* size,
                               void* value);
  Code (*SetThreadIdType)(std::int32_t type);
  Code (*ActivityEnableDriverApi)(std::uint32_t function, std::uint8_t enable);
  Code (*ActivityEnableRuntimeApi)(std::uint32_t function, std::uint8_t enable);
  Code (*ActivityConfigureUnifiedMemoryCounter)(UnifiedMemoryConfig* config,
                                                std::uint32_t count);
  Code (*GetGraphNodeId)(void* node, std::uint64_t* id);
  Code (*GetDeviceId)(void* context, std::uint32_t* device);
};

}  // namespace rangefinder::cupti
