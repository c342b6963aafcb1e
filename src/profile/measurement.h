// One measurement: a kernel, a graph, a command list or a range, with what a
// profiler said of it. Its values are in the profile that it is part of.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profile/strings.h"
#include "profile/value.h"

namespace rangefinder {

struct Dim3 {
  std::uint64_t x = 0, y = 0, z = 0;  // all 0: not known
  friend auto operator<=>(const Dim3&, const Dim3&) = default;
};

enum class MeasurementKind : std::uint8_t {
  kKernel,
  kGraph,        // a CUDA graph launch measured as one
  kCommandList,  // an OptiX-style command list measured as one
  kRange,  // a range measured as a whole, kernels and inner ranges included
};
std::string_view KindName(MeasurementKind kind);  // "kernel" "graph" ...

// How the measurement was made; numbers of two modes are never added.
enum class ReplayMode : std::uint8_t {
  kUnknown,
  kKernel,
  kApplication,
  kRange,
  kAppRange,
  kTrace,     // an undisturbed run under the tracer or Nsight Systems
  kCounters,  // the in-process range profiler
};
std::string_view ModeName(ReplayMode mode);  // "kernel" "app-range" ...

enum class RuleMessageKind : std::uint8_t {
  kNone,
  kOk,
  kWarning,
  kError,
  kOptimization
};

// What one Nsight Compute rule said of one measurement.
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
    bool global = false;  // of the whole kernel; else of the part concerned
    double percent = 0;
  };
  std::optional<Speedup> speedup{};
};

// Which instanced metric has which list, of Profile::instance_lists.
struct InstanceRef {
  MetricId metric{};
  std::uint32_t list = 0;
};

// What a measurement that stands for several launches knows of them singly; its
// time is that of all of them together.
struct FoldedLaunches {
  std::uint64_t launches = 0;  // at least one
  std::uint64_t min_ns = 0, max_ns = 0;
};

struct Measurement {
  MeasurementKind kind = MeasurementKind::kKernel;
  ReplayMode mode = ReplayMode::kUnknown;
  bool uses_green_context = false;
  std::uint32_t artifact = 0;  // index into Profile::artifacts
  ProcessId process{};
  std::int32_t device = -1;  // CUDA ordinal as the profiler counts; -1 unknown
  std::uint64_t thread = 0;  // OS id of the launching thread
  std::uint64_t context = 0;
  std::uint64_t stream = 0;
  std::uint64_t api_call = 0;  // id of the launch call, growing in its process
  StringId demangled_name{};   // as stored: with every template argument
  StringId function_name{};
  StringId mangled_name{};
  StringId renamed{};  // by the profiler's rename rules, or empty
  Dim3 grid{};
  Dim3 block{};
  std::uint32_t dynamic_shared = 0;  // traces: bytes a block; else a metric
  NvtxStateId nvtx{};
  // Of a graph's kernel in a trace: what was open where its node was captured,
  // and on which thread. 0: nothing, or not known.
  NvtxStateId captured{};
  std::uint64_t captured_thread = 0;
  std::uint64_t start_ns = 0;  // traces: of execution, on the profile's clock
  std::uint64_t end_ns = 0;
  std::uint64_t launch_ns = 0;   // traces: of the launch call's entry
  std::size_t first_sample = 0;  // into Profile::samples
  std::size_t sample_count = 0;
  // Of ranges that were counted singly: how many instances of the region the
  // samples are the mean of; 0: they are of one.
  std::uint64_t counted = 0;
  // 1 + index into Profile::folded: of summaries; 0: it is one launch.
  std::uint32_t folded = 0;
  std::vector<InstanceRef> instances{};
  std::vector<std::uint32_t> sections{};  // into Profile::sections, in order
  std::vector<std::uint32_t> rules{};     // into Profile::rules, in order
};

}  // namespace rangefinder
