// One measurement: a kernel, a graph, a command list or a range, and the NVTX
// ranges open at its launch. The values of its metrics are in its Profile.

#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profile/value.h"

namespace rangefinder {

// ---- open NVTX ranges: where a launch belongs ------------------------------

enum class FrameKind : std::uint8_t { kPushPop, kStartEnd };

// A range that was open at a launch.
struct NvtxRange {
  StringId name{};
  std::uint64_t order = 0;  // see NvtxState::order
  std::uint64_t id = 0;     // unique in its process; or 0
};

// The open push/pop ranges of one thread in one domain, outermost first.
struct NvtxStack {
  std::uint32_t domain = 0;  // index into NvtxState::domains
  std::uint64_t thread = 0;  // OS thread id
  std::vector<NvtxRange> ranges{};
};

// An open start/end range.
struct NvtxStartEnd {
  std::uint32_t domain = 0;  // index into NvtxState::domains
  std::uint64_t thread = 0;  // the thread that started it
  NvtxRange range{};
};

struct NvtxDomain {
  std::uint64_t id = 0;  // in the process; 0 is the default domain
  StringId name{};       // empty for the default domain
};

// Every NVTX range open in the process at one moment, of all threads.
struct NvtxState {
  // The meaning of NvtxRange::order, by which ranges of several stacks are
  // ordered (docs/attribution.md, rule 2).
  enum class Order : std::uint8_t {
    kLastApiCall,  // id of the opening thread's last CUDA call before
    kTime,         // ns of one clock
  };

  Order order = Order::kLastApiCall;
  // The stacks of all threads count for every launch.
  bool process_scope = false;
  std::vector<NvtxDomain> domains{};
  std::vector<NvtxStack> stacks{};
  std::vector<NvtxStartEnd> start_end{};
};

// The stack of `thread` in the domain of this name; adds domain and stack if
// the state lacks them. Valid until the next stack is added.
NvtxStack& StackOf(NvtxState& state, StringId domain, std::uint64_t thread);

// A range of a path.
struct PathRange {
  StringId domain{};
  StringId name{};
  FrameKind kind = FrameKind::kPushPop;
  friend auto operator<=>(const PathRange&, const PathRange&) = default;
};

// Opens a range of `thread` inside all open ranges of `state`. Returns the
// number of open ranges, which is also the order and the id of the new range.
std::uint64_t OpenInside(NvtxState& state, const PathRange& range,
                         std::uint64_t thread);

// A range that was opened repeatedly inside itself and never closed.
struct LeakedRange {
  StringId domain{};
  StringId name{};  // of names that differ by a number: `step *`
  FrameKind kind = FrameKind::kPushPop;
  std::uint64_t count = 0;
};

// ---- measurements ----------------------------------------------------------

struct Dim3 {
  std::uint64_t x = 0, y = 0, z = 0;  // all 0: unknown
  friend auto operator<=>(const Dim3&, const Dim3&) = default;
};

enum class MeasurementKind : std::uint8_t {
  kKernel,
  kGraph,        // a CUDA graph launch measured as one
  kCommandList,  // an OptiX-style command list, measured as a whole
  kRange,        // a range measured as a whole, with its inner ranges
};
std::string_view KindName(MeasurementKind kind);  // "kernel" "graph" ...

// How a measurement was made. Numbers of two modes are never added.
enum class ReplayMode : std::uint8_t {
  kUnknown,
  kKernel,
  kApplication,
  kRange,
  kAppRange,
  kTrace,     // the baseline run, under the tracer or Nsight Systems
  kCounters,  // CUPTI's Range Profiler in the target
};
std::string_view ModeName(ReplayMode mode);  // "kernel" "app-range" ...

enum class RuleMessageKind : std::uint8_t {
  kNone,
  kOk,
  kWarning,
  kError,
  kOptimization
};

// The result of one Nsight Compute rule for one measurement.
struct RuleResult {
  StringId identifier{};
  StringId display_name{};
  StringId section{};
  struct Message {
    RuleMessageKind kind = RuleMessageKind::kNone;
    StringId title{};
    StringId text{};  // markup as stored: @section:ID:Label@ and @url:…@
  };
  std::vector<Message> messages{};
  struct Speedup {
    // About the whole kernel; false: about the rule's part.
    bool global = false;
    double percent = 0;
  };
  std::optional<Speedup> speedup{};
};

// The instances of a metric: a list of Profile::instance_lists.
struct InstanceRef {
  MetricId metric{};
  std::uint32_t list = 0;
};

// The launches of a measurement that stands for several; its time is their
// total time.
struct FoldedLaunches {
  std::uint64_t launches = 0;  // at least 1
  std::uint64_t min_ns = 0, max_ns = 0;
};

struct Measurement {
  MeasurementKind kind = MeasurementKind::kKernel;
  ReplayMode mode = ReplayMode::kUnknown;
  std::uint32_t artifact = 0;  // index into Profile::artifacts
  ProcessId process{};
  std::int32_t device = -1;  // CUDA ordinal as the profiler counts; -1 unknown
  std::uint64_t thread = 0;  // OS id of the launching thread
  std::uint64_t context = 0;
  std::uint64_t stream = 0;
  // Id of the launch call, increasing in its process.
  std::uint64_t api_call = 0;
  StringId demangled_name{};  // as stored, with every template argument
  StringId function_name{};
  StringId mangled_name{};
  // For NCCL's kernels in a trace: texts that are equal on all ranks; empty:
  // unknown.
  StringId communicator{};
  StringId message_size{};
  Dim3 grid{};
  Dim3 block{};
  // Traces: bytes per block; in other files, a metric has them.
  std::uint32_t dynamic_shared = 0, static_shared = 0;
  std::uint32_t registers = 0;  // traces: of a thread; 0: not known
  NvtxStateId nvtx{};
  // For a graph's kernel in a trace: the ranges open where its node was
  // captured, and the capturing thread. 0: no ranges, or unknown.
  NvtxStateId captured{};
  std::uint64_t captured_thread = 0;
  // Traces: start of execution, on the profile's clock.
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t launch_ns = 0;   // traces: entry of the launch call
  std::size_t first_sample = 0;  // into Profile::samples
  std::size_t sample_count = 0;
  // For ranges that were counted instance by instance: the number of instances
  // whose mean the values are; 0: the values of one instance.
  std::uint64_t counted = 0;
  // Of summaries: 1 + index into Profile::folded; 0: one launch.
  std::uint32_t folded = 0;
  std::vector<InstanceRef> instances{};
  std::vector<std::uint32_t> sections{};  // into Profile::sections, in order
  std::vector<std::uint32_t> rules{};     // into Profile::rules, in order
};

// Sizes of messages and copies in 32 steps for each power of two, so that a
// program with many sizes has few kinds of them.
constexpr std::uint64_t SizeClass(std::uint64_t bytes) {
  const int cut = static_cast<int>(std::bit_width(bytes)) - 6;
  return cut > 0 ? bytes >> cut << cut : bytes;
}

// CUpti_ActivityMemcpyKind, with 0 for a memory set.
constexpr std::uint8_t kMemorySet = 0, kHostToDevice = 1, kDeviceToHost = 2,
                       kDeviceToDevice = 8;

// A memory copy or memory set on the GPU. Kept for traces with counter samples,
// which include such work.
struct CopyActivity {
  ProcessId process{};
  std::int32_t device = -1;
  std::uint64_t thread = 0;  // OS id of the calling thread
  NvtxStateId nvtx{};
  std::uint32_t kind = kMemorySet;
  std::uint64_t start_ns = 0;  // on the profile's clock
  std::uint64_t end_ns = 0;
  std::uint64_t bytes = 0;
  bool left_out = false;  // see Profile::left_out
};

}  // namespace rangefinder
