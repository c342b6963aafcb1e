// The measurements of any profiler.
//
// This is the meeting point of the program: every reader of `ingest` produces a
// Profile, and later steps do not know which reader. A Profile is plain data as
// it was read: names are the bytes of the file (not always UTF-8), numbers are
// in base units, nothing is derived.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/counter_samples.h"
#include "profile/kernel_source.h"
#include "profile/measurement.h"
#include "profile/rank_record.h"
#include "profile/region_times.h"
#include "profile/value.h"

namespace rangefinder {

// Names of ranges that are shown as one name: `decode_*` for decode_0 to
// decode_63.
//
// A tree of names, each below the names around it, since a name may be a
// counter in one place only. region/merged_names.h fills it and PathOf()
// applies it; later steps see only merged names. Empty if no name is merged.
class MergedNames {
 public:
  // A path of shown names; 0 is the empty path.
  using Node = std::uint32_t;

  // The path of a range, and its shown name.
  struct Step {
    Node node = 0;
    StringId shown{};
  };
  struct Key {
    Node parent = 0;
    StringId domain{};
    StringId name{};  // as the program gave it
    friend bool operator==(const Key&, const Key&) = default;
  };

  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = key.parent;
      hash =
          hash * 0x9E3779B97F4A7C15U + static_cast<std::uint32_t>(key.domain);
      hash = hash * 0x9E3779B97F4A7C15U + static_cast<std::uint32_t>(key.name);
      return std::hash<std::uint64_t>{}(hash ^ hash >> 32);
    }
  };

  bool empty() const { return steps_.empty(); }
  void Add(const Key& key, const Step& step) { steps_.emplace(key, step); }
  // Nothing for a range that was unknown when names were merged.
  std::optional<Step> Find(const Key& key) const {
    const auto known = steps_.find(key);
    if (known == steps_.end()) return std::nullopt;
    return known->second;
  }
  const auto& steps() const { return steps_; }

 private:
  std::unordered_map<Key, Step, Hash> steps_;
};

// A section of Nsight Compute: NVIDIA's labels for a table of metrics.
struct Section {
  StringId identifier{};    // "SpeedOfLight"
  StringId display_name{};  // "GPU Speed Of Light Throughput"
  std::int64_t order = 0;
  struct Row {
    MetricId metric{};
    StringId label{};
    // Compute capabilities (10 * major + minor) of the row, first and last;
    // empty: all. Of rows with the same label, the matching one is shown.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> capabilities{};
  };
  std::vector<Row> header{};
};

// A device by its number in a process, and its place on the host's bus, which
// identifies the same device in two processes.
struct DevicePlace {
  std::int32_t index = -1;
  std::uint64_t bus = 0;  // PCI domain << 32 | bus << 8 | device
};

struct Process {
  std::uint64_t pid = 0;
  StringId name{};  // path of the executable
  StringId host{};
  std::int32_t rank = -1;  // of an MPI-like job, -1: unknown
  // Traces: the number of the run, if the program was run several times for
  // more counters. Kernels of runs other than 0 are in Profile::repeated.
  std::uint32_t run = 0;
  // Traces: the trace ends before the program, which was killed or continues.
  // Ranges that are open at the end are then no mistake.
  bool ends_early = false;
  bool is_damaged = false;      // a part of its trace is lost
  bool gpu_recorded = true;     // false: its GPU work is unknown
  bool gpu_is_damaged = false;  // a part of its GPU work is lost
  // From a report that was read again: its wall times include warm-up, and its
  // calls are unknown.
  bool has_only_sums = false;
  std::vector<DevicePlace> devices{};  // traces: as far as known
};

struct Device {
  std::int32_t index = -1;
  StringId name{};
  std::string chip{};  // "GH100"; empty: unknown
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
  // Throughputs: the metrics whose maximum this metric is, if the file says so.
  std::vector<MetricId> breakdown{};
};

struct Profile {
  StringPool strings{};
  std::vector<MetricDefinition> metrics{};  // by MetricId
  std::vector<Artifact> artifacts{};
  std::vector<Process> processes{};                 // by ProcessId
  std::vector<Device> devices{};                    // in order of appearance
  std::vector<NvtxState> nvtx_states{NvtxState{}};  // by id; 0: nothing open
  std::vector<LeakedRange> leaked{};
  MergedNames merged{};  // filled after reading, by region/merged_names.h
  std::vector<Section> sections{};
  std::vector<RuleResult> rules{};
  std::vector<std::vector<Instance>> instance_lists{};
  std::vector<Measurement> measurements{};  // by MeasurementId, file order
  std::vector<Sample> samples{};
  std::vector<FoldedLaunches> folded{};  // by Measurement::folded - 1
  // Traces: instances of regions, one row per region and thread; and the GPU
  // work of regions, one row per region and process.
  std::vector<RangeVisits> visits{};
  std::vector<RegionUse> uses{};
  // Traces: copies and sets.
  std::vector<CopyActivity> copies{};
  // Kernels of further runs for more counter samples: in no sum, and in no
  // region's times.
  std::vector<Measurement> repeated{};
  // Kernels of instances that a selection leaves out: in no sum, but the
  // device's counters include them.
  std::vector<Measurement> left_out{};
  // Kernels of the baseline run, if another run measured the same kernels: in
  // no sum. See baseline_run.h.
  std::vector<Measurement> traced{};
  // Traces: counters over time, for each process and device that was sampled or
  // should have been; empty: sampling was not requested.
  std::vector<CounterSamples> counter_samples{};
  // Without processes. False: the GPU work of the program is unknown.
  bool gpu_recorded = true;
  KernelSources kernel_sources{};
  Ranks ranks{};  // for summaries; for other files see ranks/rank_records.h
  std::uint64_t start_ns = 0;  // traces: start of the first trace; 0: unknown

  std::string_view Name(StringId id) const { return strings[id]; }
  std::string_view MetricName(MetricId id) const {
    return strings[metrics[Index(id)].name];
  }
  // The id of a metric, which is added if it is new.
  MetricId InternMetric(std::string_view name);
  std::optional<MetricId> FindMetric(std::string_view name) const;

  // Adds a sample of the measurement that is being made.
  void AddSample(MetricId metric, Value value) {
    samples.push_back({metric, value.kind, value.bits});
  }
  std::span<const Sample> SamplesOf(const Measurement& m) const {
    return std::span(samples).subspan(m.first_sample, m.sample_count);
  }
  // The value of `metric` in `m`; if a file repeats a metric, the last value
  // counts. Linear in the samples of `m`.
  Value ValueOf(const Measurement& m, MetricId metric) const;

 private:
  std::vector<std::uint32_t> metric_by_string_{};  // 1 + MetricId, 0: none
};

// Adds a state in which `thread` has the ranges of `path` open, outermost
// first.
NvtxStateId AddPath(Profile& profile, std::span<const PathRange> path,
                    std::uint64_t thread);

// The duration of a measurement in ns: gpu__time_duration.sum, else the traced
// time; nothing if it has neither.
std::optional<double> DurationNs(const Profile& profile, const Measurement& m);

// The number of launches in a measurement: one, except in summaries.
std::uint64_t LaunchesOf(const Profile& profile, const Measurement& m);

// Appends all of `other` to `profile` under new ids. Measurements keep their
// order; equal strings, metrics and processes become one.
void Append(Profile& profile, const Profile& other);

}  // namespace rangefinder
