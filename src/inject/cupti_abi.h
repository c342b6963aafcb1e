// The part of CUPTI's interface that this library uses, declared here: the
// library is built the same with or without a CUDA toolkit, and meets CUPTI 12
// and 13 at run time. Records grow at their end from release to release; the
// fields below have kept their places since CUDA 11 (cupti_abi_test.cc holds
// them to the installed headers).

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::inject::cupti {

using Result = std::int32_t;
inline constexpr Result kSuccess = 0;
inline constexpr Result kMaxLimitReached = 12;
inline constexpr Result kInsufficientPrivileges = 35;
inline constexpr Result kMultipleSubscribers = 39;

// cuptiGetVersion(): 18 is CUDA 12.0, 130000 is 13.0. Older records differ.
inline constexpr std::uint32_t kOldestVersion = 18;

enum Kind : std::int32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,  // one at a time
  kDriverCall = 4,
  kConcurrentKernel = 10,
  kMemcpyPeer = 22,
};

enum Attribute : std::int32_t {
  kDeviceBufferSize = 0,
  kZeroedBuffers = 5,
  kDeviceBuffersBeforehand = 6,
  kPinnedDeviceBuffers = 8,
  kBufferPerThread = 9,
};

inline constexpr std::int32_t kThreadIdsOfTheSystem = 1;

enum Domain : std::int32_t { kDriverApi = 1, kResource = 3 };
// Of kResource.
inline constexpr std::uint32_t kContextCreated = 1;
inline constexpr std::uint32_t kContextDestroyStarting = 2;
inline constexpr std::uint32_t kGraphNodeCreated = 13;
inline constexpr std::uint32_t kGraphNodeCloned = 20;
inline constexpr std::int32_t kApiEnter = 0;
// Driver functions are numbered below this, and are asked for by name.
inline constexpr std::uint32_t kMaxDriverFunctions = 4096;

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

// What a callback of kResource is given.
struct ResourceData {
  void* context;
  void* handle;
  const void* descriptor;  // GraphData, of what is about graphs
};

struct GraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
};

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

static_assert(sizeof(CallRecord) == 40);
static_assert(offsetof(KernelRecord, start) == 16);
static_assert(offsetof(KernelRecord, correlation) == 92);
static_assert(offsetof(KernelRecord, graph_node) == 144);
static_assert(offsetof(MemcpyRecord, graph_node) == 64);
static_assert(offsetof(MemcpyPeerRecord, correlation) == 60);
static_assert(offsetof(MemcpyPeerRecord, graph_node) == 72);
static_assert(offsetof(MemsetRecord, graph_node) == 64);
static_assert(offsetof(CallbackData, correlation_id) == 64);

}  // namespace rangefinder::inject::cupti
