// What was measured, whichever profiler measured it.
//
// This is the meeting point of the program. Every reader in ingest/ produces a
// Profile, and nothing after it knows which reader it was. A Profile is plain
// data and stays as it was read: names are the bytes that the file held (not
// necessarily UTF-8), numbers are in base units, nothing is derived.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/region_times.h"
#include "profile/strings.h"

namespace rangefinder {

enum class MetricId : std::uint32_t {};
enum class MeasurementId : std::uint32_t {};
enum class ProcessId : std::uint32_t {};    // index into Profile::processes
enum class NvtxStateId : std::uint32_t {};  // index into Profile::nvtx_states

template <typename Id>
constexpr std::size_t Index(Id id) {
  return static_cast<std::size_t>(id);
}

enum class ValueKind : std::uint8_t { kAbsent, kNumber, kInteger, kText };

// One value: a double, an unsigned integer, or text.
struct Value {
  ValueKind kind = ValueKind::kAbsent;
  std::uint64_t bits = 0;  // of the double, the integer, or a StringId

  static Value Number(double number);
  static Value Integer(std::uint64_t integer);
  static Value Text(StringId text);

  // The number, an integer converted; nothing for text and for no value.
  std::optional<double> number() const;
  std::optional<StringId> text() const;

  friend bool operator==(const Value&, const Value&) = default;
};

// What one metric was in one measurement.
struct Sample {
  MetricId metric{};
  ValueKind kind = ValueKind::kAbsent;
  std::uint64_t bits = 0;

  Value value() const { return {kind, bits}; }
};
static_assert(sizeof(Sample) == 16);

// One of a metric's many values in one measurement: per program counter, per
// sampling time stamp, or (range results) per launch.
struct Instance {
  std::uint64_t key = 0;  // what the instance is of: PC, ns, launch number
  Value value{};
};

// ---- NVTX ------------------------------------------------------------------

enum class FrameKind : std::uint8_t { kPushPop, kStartEnd };

// A range that was open at a launch.
struct NvtxRange {
  StringId name{};
  std::uint64_t order = 0;  // see NvtxState::order
  std::uint64_t id = 0;     // of the range, unique in its process; or 0
  std::uint32_t color = 0;  // ARGB, 0: none given
  std::uint32_t category = 0;
  StringId payload{};  // as text, empty: none given
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
  std::uint64_t thread = 0;  // that started it
  NvtxRange range{};
};

struct NvtxDomain {
  std::uint64_t id = 0;  // in the process; 0 is the default domain
  StringId name{};       // empty for the default domain
};

// Every NVTX range open in the process at one moment, of all threads.
struct NvtxState {
  // What NvtxRange::order counts, and so how frames of several stacks
  // interleave; see region/attribution.h.
  enum class Order : std::uint8_t {
    kLastApiCall,  // id of the last CUDA call of the opening thread before
    kTime,         // ns, one clock
  };

  Order order = Order::kLastApiCall;
  bool process_scope = false;  // stacks of all threads count for every launch
  std::vector<NvtxDomain> domains{};
  std::vector<NvtxStack> stacks{};
  std::vector<NvtxStartEnd> start_end{};
};

// ---- Measurements ----------------------------------------------------------

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
  std::uint64_t start_ns = 0;  // traces: of execution, on the profile's clock
  std::uint64_t end_ns = 0;
  std::uint64_t launch_ns = 0;   // traces: of the launch call's entry
  std::size_t first_sample = 0;  // into Profile::samples
  std::size_t sample_count = 0;
  std::vector<InstanceRef> instances{};
  std::vector<std::uint32_t> sections{};  // into Profile::sections, in order
  std::vector<std::uint32_t> rules{};     // into Profile::rules, in order
};

// ---- What surrounds them ---------------------------------------------------

// A section of Nsight Compute's: NVIDIA's labels for a table of metrics.
struct Section {
  StringId identifier{};    // "SpeedOfLight"
  StringId display_name{};  // "GPU Speed Of Light Throughput"
  StringId description{};
  std::int64_t order = 0;
  std::uint32_t header_rows = 0;
  struct Row {
    MetricId metric{};
    StringId label{};
    StringId unit{};
    StringId filter{};  // what it is meant for, as stored
    // Compute capabilities that it is meant for, 10 * major + minor, first and
    // last; empty: all. Of rows with one label the fitting one is shown.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> capabilities{};
  };
  std::vector<Row> header{};
};

struct Process {
  std::uint64_t pid = 0;
  StringId name{};  // path of the executable
  StringId host{};
  std::int32_t rank = -1;  // of an MPI-like job, -1: unknown
};

struct Device {
  std::int32_t index = -1;
  StringId name{};
  std::string chip{};  // "GH100" where it is known
  std::vector<std::pair<StringId, Value>> attributes{};
};

// One file that was read.
struct Artifact {
  std::string path{};    // as the user named it
  std::string format{};  // "ncu-rep", "trace", "nsys-sqlite"
  std::uint64_t bytes = 0;
  std::uint64_t created_unix_s = 0;  // 0: unknown
  std::string command_line{};        // the profiler's, as recorded; or empty
  std::vector<std::pair<std::string, std::string>> versions{};  // tool, version
};

struct MetricDefinition {
  StringId name{};
  // Throughputs: the metrics whose maximum this one is, where the file says so.
  std::vector<MetricId> breakdown{};
};

struct Profile {
  StringPool strings{};
  std::vector<MetricDefinition> metrics{};  // by MetricId
  std::vector<Artifact> artifacts{};
  std::vector<Process> processes{};                 // by ProcessId
  std::vector<Device> devices{};                    // in order of appearance
  std::vector<NvtxState> nvtx_states{NvtxState{}};  // by id; 0: nothing open
  std::vector<Section> sections{};
  std::vector<RuleResult> rules{};
  std::vector<std::vector<Instance>> instance_lists{};
  std::vector<Measurement> measurements{};  // by MeasurementId, file order
  std::vector<Sample> samples{};
  // Traces: regions beyond their kernels, each in every thread; and what they
  // did on the GPU, each in every process.
  std::vector<RangeVisits> visits{};
  std::vector<RegionUse> uses{};
  // Kernels of an undisturbed run, where another run measured the same ones:
  // of a trace, and part of no sum. See traced_run.h.
  std::vector<Measurement> traced{};
  std::uint64_t start_ns = 0;  // traces: when the first began; 0: unknown

  std::string_view Name(StringId id) const { return strings[id]; }
  std::string_view MetricName(MetricId id) const {
    return strings[metrics[Index(id)].name];
  }
  // The id of a metric, defined now if it is new.
  MetricId InternMetric(std::string_view name);
  std::optional<MetricId> FindMetric(std::string_view name) const;

  std::span<const Sample> SamplesOf(const Measurement& m) const {
    return std::span(samples).subspan(m.first_sample, m.sample_count);
  }
  // The last value of `metric` in `m`: some files repeat a metric, the last one
  // counts. Linear in the samples of `m`.
  Value ValueOf(const Measurement& m, MetricId metric) const;

 private:
  std::vector<std::uint32_t> metric_by_string_{};  // 1 + MetricId, 0: none
};

// The duration of a measurement in ns: gpu__time_duration.sum, or the traced
// time; nothing when neither is there.
std::optional<double> DurationNs(const Profile& profile, const Measurement& m);

// Appends everything of `other`, renumbering its ids. Measurements keep their
// order; equal strings, metrics and processes are joined.
void Append(Profile& profile, const Profile& other);

}  // namespace rangefinder
