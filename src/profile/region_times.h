// What a trace knows of a region beyond its kernels: how often it ran, how long
// on the CPU, and how it kept the GPU busy. Regions without a kernel are known
// by this alone.
//
// A trace has a record of every instance and a Profile has not: what a row says
// of its instances is already summed up, but for the first and the slowest, and
// for when they were, which is kept of all as far as it is not too much.
// Times of instances are with what ran in inner regions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/spread.h"
#include "profile/time_spans.h"

namespace rangefinder {

enum class ProcessId : std::uint32_t;
enum class NvtxStateId : std::uint32_t;

// One run through a region.
struct InstanceTimes {
  std::uint64_t ordinal = 0;   // in its thread, from 0, in order of opening
  std::uint64_t start_ns = 0;  // of opening, on the profile's clock
  std::uint64_t cpu_ns = 0;    // from open to close
  bool closed = false;         // false: cpu_ns is not known
  // Of what it launched: the kernels' summed time; from the start of the first
  // activity to the end of the last; and of that the time in which none ran.
  // All 0 where it launched nothing.
  std::uint64_t gpu_ns = 0;
  std::uint64_t span_ns = 0;
  std::uint64_t idle_ns = 0;
};

// One region in one thread: the path that is open inside it.
struct RangeVisits {
  static constexpr std::size_t kFirst = 64;
  static constexpr std::size_t kSlowest = 3;

  ProcessId process{};
  std::uint64_t thread = 0;  // OS id
  // The path is PathOf() a measurement of this process, thread and state; the
  // region itself is its last frame.
  NvtxStateId nvtx{};
  std::uint64_t instances = 0;
  std::uint64_t unclosed = 0;  // of them, still open when the trace ended
  Spread cpu_ns{};             // from open to close, of those that were closed
  // Of the instances that launched something; see InstanceTimes.
  Spread gpu_ns{};
  Spread gpu_span_ns{};
  Spread gpu_idle_ns{};
  std::vector<InstanceTimes> first{};        // at most kFirst, by ordinal
  std::vector<InstanceTimes> slowest{};      // by cpu_ns, at most kSlowest
  std::vector<InstanceTimes> slowest_gpu{};  // by gpu_ns, at most kSlowest
  std::vector<TimeSpan> spans{};  // of those that were closed, by start
};

// What ran in one stream.
struct StreamUse {
  std::uint64_t context = 0;
  std::uint64_t stream = 0;
  std::uint64_t kernels = 0, copies = 0, sets = 0;
  std::uint64_t kernel_ns = 0, copy_ns = 0, set_ns = 0;  // summed durations
};

// What the calls made inside a region did on one device, inner regions
// included.
struct GpuUse {
  std::int32_t device = -1;
  std::uint64_t kernels = 0, copies = 0, sets = 0;
  std::uint64_t kernel_ns = 0, copy_ns = 0, set_ns = 0;  // summed durations
  std::uint64_t copy_bytes = 0, set_bytes = 0;
  std::uint64_t first_ns = 0,
                last_ns = 0;  // start of the first, end of the last
  // The time in which at least one of them ran: the union of their intervals.
  std::uint64_t busy_ns = 0;
  Spread latency_ns{};  // from the launch call to the start of the kernel
  std::vector<StreamUse> streams{};  // in order of first use
};

// One region in one process, whichever of its threads launched.
struct RegionUse {
  ProcessId process{};
  std::uint64_t thread = 0;   // one that was in it; the path is as above, and
  NvtxStateId nvtx{};         // the empty one is the process as a whole
  std::vector<GpuUse> gpu{};  // by device
};

}  // namespace rangefinder
