// The parameters of tracing a GPU. The defaults were chosen by measurement
// (docs/performance.md); beside RANGEFINDER_INJECT_API, which is a setting,
// they are changed for measurements by
//
//   RANGEFINDER_INJECT_TUNE=key=value,key=value
//
// A trace that was made with this variable says so among its facts.

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::inject {

struct Tuning {
  // Launches are recorded, which gives kernels their regions.
  bool launches = true;
  // The calls of CUDA whose durations are recorded: none, those of
  // timed_calls.h, or launches too. RANGEFINDER_INJECT_API.
  enum class Api { kNone, kCalls, kLaunches };
  Api api = Api::kCalls;
  // kGraphs: launches of graphs as wholes, for comparison; they are not
  // recorded.
  enum class Kernels { kConcurrent, kGraphs, kNone };
  Kernels kernels = Kernels::kConcurrent;
  bool copies = true;  // copies and sets too
  // Where kernels begin in their source. RANGEFINDER_INJECT_SOURCE.
  bool source = false;
  // cuProfilerStop ends the tracing and cuProfilerStart begins it again, so
  // that one process can be measured with and without it. Needs `launches`.
  bool pausable = false;

  // CUPTI's buffers on the host. CUPTI clears a whole buffer when a thread's
  // launch needs one: a larger buffer delays the thread longer.
  std::size_t buffer_bytes = 512 * 1024;
  std::size_t buffers = 8;  // touched beforehand
  // CUPTI's buffers on the device are in pinned memory of the host.
  bool pinned = true;
  // How often the library asks CUPTI for finished records, 0: never.
  std::uint32_t flush_ms = 1000;

  // Sampling begins with the first launch on a device instead of its context.
  bool sample_at_launch = false;

  // Counting watches captures of streams and resets of devices.
  bool watch = true;
};

// The name of the value in the setting and in the trace.
const char* NameOf(Tuning::Api api);

// The defaults, changed by the environment. Unknown keys and values are
// ignored.
Tuning ReadTuning();

}  // namespace rangefinder::inject
