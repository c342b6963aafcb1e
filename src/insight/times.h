// The times of regions in traces: on the CPU, on the GPU, and between the two.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "insight/run_view.h"
#include "profile/region_times.h"

namespace rangefinder {

// A stream of one process.
struct StreamTimes {
  ProcessId process{};
  std::int32_t device = -1;
  StreamUse use{};
};

// An instance, and the thread that ran it.
struct PlacedInstance {
  ProcessId process{};
  std::uint64_t thread = 0;
  InstanceTimes times{};
  std::uint32_t row = 0;  // into Profile::visits
  StringId name{};        // of its range, where ranges are merged
};

// One region in one scope, inner regions included. GPU times are summed over
// processes and devices; busy_ns is the union of intervals on each device.
struct RegionTimes {
  std::uint64_t instances = 0;
  std::uint64_t unclosed = 0;
  // When the first instance opened and the last one closed, on the profile's
  // clock; nothing if none opened, or none closed.
  std::optional<std::uint64_t> start_ns{}, end_ns{};
  Spread cpu_ns{};  // of the closed instances, from open to close
  // Of the instances that launched work; see InstanceTimes.
  Spread gpu_ns{};
  Spread gpu_span_ns{};
  Spread gpu_idle_ns{};
  std::vector<PlacedInstance> first{};  // by start, of all threads
  std::vector<PlacedInstance> slowest{};
  std::vector<PlacedInstance> slowest_gpu{};
  bool gpu_recorded = true;      // false: GPU work of a process was not
  bool gpu_of_instances = true;  // false: GPU times of instances are unknown
  // False: GPU work was not recorded, or work of other threads was placed here
  // (regions.threads). Then `gpu`, `span_ns` and `streams` are empty.
  bool gpu_known = true;
  GpuUse gpu{};                        // summed; device, first and last unset
  std::uint64_t span_ns = 0;           // summed: first start to last end
  std::vector<StreamTimes> streams{};  // by time, most first
  std::optional<Warmup> warmup{};      // the first instances, if set apart
  bool warmup_known = true;            // false: see MayHideWarmup()
  WallTime wall{};                     // of the closed instances
  std::uint64_t deferred_ns = 0;       // see RangeVisits
  std::uint64_t migrating_ns = 0;
  std::uint64_t launches_beside = 0;  // as in RangeVisits
  std::vector<CallUse> calls{};
  std::vector<ForeignWork> foreign{};

  // The closed instances that are no warm-up: their number, and their wall
  // time by parts.
  std::uint64_t steady_instances() const;
  WallTime steady_wall() const;

  std::uint64_t work_ns() const {
    return gpu.kernel_ns + gpu.copy_ns + gpu.set_ns;
  }
  std::uint64_t idle_ns() const { return span_ns - gpu.busy_ns; }
  // The mean number of concurrent activities while the GPU was busy; nothing if
  // it never was.
  std::optional<double> concurrency() const;
};

// Nothing if no trace saw the region. For the root: only the GPU times of whole
// processes.
std::optional<RegionTimes> TimesOf(const RunView& run, const Scope& scope,
                                   RegionId id);
// The number of instances by TimesOf() the region, else by its measurements.
std::uint64_t InstancesOf(const RunView& run, const Scope& scope, RegionId id,
                          const std::optional<RegionTimes>& times);

// A region with merged names, or inside one (region/merged_names.h), has
// several rows of a trace, which are combined:

// Adds counts and summed durations, but neither streams nor start and end.
void AddCounts(GpuUse& sum, const GpuUse& use);

// The GPU use of one process on one device, as if all calls had been made in
// one region, from first start to last end. busy_ns is exact if the rows do not
// overlap in time, else an upper bound.
GpuUse Together(std::vector<const GpuUse*> uses);

// Whether the run has times besides kernels' durations.
bool HasTimes(const RunView& run);

// By RegionId, with inner regions: the summed time in ns in which a kernel of
// the region runs beside another kernel of its process on its device, of the
// region itself or not. 0 for kernels without a start.
std::vector<double> KernelOverlaps(const RunView& run, const Scope& scope);

// The instances of a region take longer and longer.
struct Growth {
  // The mean length of the last quarter of the instances over that of the
  // first.
  double ratio = 1;
  double ns = 0;  // time beyond the first quarter's length, of all instances
};

// `spans`: the instances in order, without warm-up. Nothing if their length
// does not rise from quarter to quarter, or by less than the instances differ.
std::optional<Growth> GrowthOf(std::span<const TimeSpan> spans);

}  // namespace rangefinder
