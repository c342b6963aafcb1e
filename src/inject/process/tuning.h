// How the GPU half goes about it: chosen by measurement (docs/performance.md),
// and to be changed for measurements alone, by
//
//   RANGEFINDER_INJECT_TUNE=key=value,key=value
//
// A trace that was made with this variable says so among its facts.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::inject {

struct Tuning {
  // How a kernel finds its launch: by our callback; for comparison by a
  // callback that does nothing, by CUPTI's own records of the launch calls, or
  // not at all. Only kCallback gives kernels their regions.
  enum class Launches { kCallback, kEmptyCallback, kRecords, kNone };
  Launches launches = Launches::kCallback;
  enum class Kernels { kConcurrent, kSerial, kNone };
  Kernels kernels = Kernels::kConcurrent;
  bool copies = true;  // copies and sets too
  // cuProfilerStop ends all of it and cuProfilerStart begins it again, so that
  // one process can be measured with and without. Of kCallback alone.
  bool pausable = false;

  std::size_t buffer_bytes = 2 * 1024 * 1024;  // of CUPTI's, on the host
  std::size_t buffers = 3;                     // touched beforehand
  bool huge_pages = false;                     // asked for in these
  bool zeroed = false;         // we clear them, and not CUPTI in a launch
  bool decode_apart = false;   // in a thread of ours of low priority
  bool counter_clock = false;  // CUPTI asks us for the time
  // How often we ask for what is finished, 0: never. `own_flush` false: CUPTI
  // does, but gives only buffers that are full.
  std::uint32_t flush_ms = 1000;
  bool own_flush = true;

  // Sampling begins with the first launch on a device, and not with its
  // context.
  bool sample_at_launch = false;

  // Counting has CUPTI call back for captures of streams and resets of devices.
  bool watch = true;

  // Left to CUPTI where 0 (the last: where negative).
  std::size_t device_buffer_bytes = 0;
  std::size_t device_buffers = 0;
  int pinned = 1;       // device buffers in pinned memory of the host
  int per_thread = -1;  // a buffer for each launching thread
};

// The defaults, changed by the environment. What is not understood is left out.
Tuning ReadTuning();

}  // namespace rangefinder::inject
