// What was measured, whichever profiler measured it.
//
// This is the meeting point of the program. Every reader in ingest/ produces a
// Profile, and nothing after it knows which reader it was. A Profile is plain
// data and stays as it was read: names are the bytes that the file held (not
// necessarily UTF-8), numbers are in base units, nothing is derived.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/copy_activity.h"
#include "profile/counter_samples.h"
#include "profile/measurement.h"
#include "profile/merged_names.h"
#include "profile/nvtx_state.h"
#include "profile/range_depth.h"
#include "profile/rank_record.h"
#include "profile/region_times.h"
#include "profile/strings.h"
#include "profile/value.h"

namespace rangefinder {

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

// A device as a process counts it, and where on its host's bus that is: what
// tells whether two processes mean the same one.
struct DevicePlace {
  std::int32_t index = -1;
  std::uint64_t bus = 0;  // PCI domain << 32 | bus << 8 | device
};

struct Process {
  std::uint64_t pid = 0;
  StringId name{};  // path of the executable
  StringId host{};
  std::int32_t rank = -1;  // of an MPI-like job, -1: unknown
  // Of traces: which of several runs of the program, that were made one after
  // the other for other counters; what is not of the first is in
  // Profile::repeated.
  std::uint32_t run = 0;
  std::vector<DevicePlace> devices{};  // of traces, as far as they are known
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
  std::vector<LeakedRange> leaked{};  // what the program forgets to close
  MergedNames merged{};  // decided after reading; see region/merge.h
  std::vector<Section> sections{};
  std::vector<RuleResult> rules{};
  std::vector<std::vector<Instance>> instance_lists{};
  std::vector<Measurement> measurements{};  // by MeasurementId, file order
  std::vector<Sample> samples{};
  std::vector<FoldedLaunches> folded{};  // by Measurement::folded - 1
  // Traces: regions beyond their kernels, each in every thread; and what they
  // did on the GPU, each in every process.
  std::vector<RangeVisits> visits{};
  std::vector<RegionUse> uses{};
  // Copies and sets of traces that have counter_samples.
  std::vector<CopyActivity> copies{};
  // Kernels of further runs that were made for their samples: part of no sum,
  // and of no region's times.
  std::vector<Measurement> repeated{};
  // Kernels of an undisturbed run, where another run measured the same ones:
  // of a trace, and part of no sum. See traced_run.h.
  std::vector<Measurement> traced{};
  // Traces: the devices' counters over time, of each process and device that
  // was sampled or should have been; empty: that was not asked for.
  std::vector<CounterSamples> counter_samples{};
  Ranks ranks{};  // of summaries; of other files see ranks/rank_records.h
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

// How many launches a measurement stands for: one, but in summaries.
std::uint64_t LaunchesOf(const Profile& profile, const Measurement& m);

// Appends everything of `other`, renumbering its ids. Measurements keep their
// order; equal strings, metrics and processes are joined.
void Append(Profile& profile, const Profile& other);

}  // namespace rangefinder
