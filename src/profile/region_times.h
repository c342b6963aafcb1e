// What a trace knows of a region beyond its kernels: how often it ran, how long
// on the CPU, and how it kept the GPU busy. Regions without a kernel are known
// by this alone.
//
// A trace has a record of every instance and a Profile has not: what a row says
// of its instances is already summed up.

#pragma once

#include <cstdint>
#include <vector>

#include "profile/spread.h"

namespace rangefinder {

enum class ProcessId : std::uint32_t;
enum class NvtxStateId : std::uint32_t;

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
};

// One region in one thread: the path that is open inside it.
struct RangeVisits {
  ProcessId process{};
  std::uint64_t thread = 0;  // OS id
  // The path is PathOf() a measurement of this process, thread and state; the
  // region itself is its last frame. The empty path is the whole thread, inside
  // ranges and outside, and has no instances.
  NvtxStateId nvtx{};
  std::uint64_t instances = 0;
  std::uint64_t unclosed = 0;  // of them, still open when the trace ended
  Spread cpu_ns{};             // from open to close, of those that were closed
  // Of the instances that launched something: the kernels' summed time, and
  // from the start of the first activity to the end of the last.
  Spread gpu_ns{};
  Spread gpu_span_ns{};
  std::vector<GpuUse> gpu{};  // by device
  struct Outlier {
    std::uint64_t ordinal = 0;  // of the instance, from 0, in order of opening
    std::uint64_t start_ns = 0;
    std::uint64_t cpu_ns = 0;
  };
  std::vector<Outlier> slowest{};  // on the CPU, at most three, slowest first
};

}  // namespace rangefinder
