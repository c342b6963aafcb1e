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
  // How launches are recorded: by our callback or, for comparison, by a
  // callback that does nothing, by CUPTI's records of the launch calls, or not
  // at all. Only kCallback gives kernels their regions.
  enum class Launches { kCallback, kEmptyCallback, kRecords, kNone };
  Launches launches = Launches::kCallback;
  // The calls of CUDA whose durations are recorded: none, those of
  // timed_calls.h, or launches too. RANGEFINDER_INJECT_API.
  enum class Api { kNone, kCalls, kLaunches };
  Api api = Api::kCalls;
  // kGraphs: launches of graphs as wholes, for comparison; they are not
  // recorded.
  enum class Kernels { kConcurrent, kSerial, kGraphs, kNone };
  Kernels kernels = Kernels::kConcurrent;
  bool copies = true;  // copies and sets too
  // Where kernels begin in their source. RANGEFINDER_INJECT_SOURCE.
  bool source = false;
  // cuProfilerStop ends the tracing and cuProfilerStart begins it again, so
  // that one process can be measured with and without it. For kCallback only.
  bool pausable = false;

  // CUPTI's buffers on the host. CUPTI clears a whole buffer when a thread's
  // launch needs one: a larger buffer delays the thread longer.
  std::size_t buffer_bytes = 512 * 1024;
  std::size_t buffers = 8;     // touched beforehand
  bool huge_pages = false;     // asked for in these
  bool zeroed = false;         // cleared by us instead of CUPTI in a launch
  bool decode_apart = false;   // in a thread of ours of low priority
  bool counter_clock = false;  // our clock stamps CUPTI's records
  // How often the library asks CUPTI for finished records, 0: never.
  // `own_flush` false: CUPTI flushes by itself, but only full buffers.
  std::uint32_t flush_ms = 1000;
  bool own_flush = true;

  // Sampling begins with the first launch on a device instead of its context.
  bool sample_at_launch = false;

  // Counting watches captures of streams and resets of devices.
  bool watch = true;

  // 0 (the last: a negative value) leaves the choice to CUPTI.
  std::size_t device_buffer_bytes = 0;
  std::size_t device_buffers = 0;
  int pinned = 1;       // device buffers in pinned memory of the host
  int per_thread = -1;  // a buffer for each launching thread
};

// As the setting and the trace call it.
const char* NameOf(Tuning::Api api);

// The defaults, changed by the environment. Unknown keys and values are
// ignored.
Tuning ReadTuning();

}  // namespace rangefinder::inject
