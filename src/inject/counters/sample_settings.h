// The metrics to collect and the interval of samples (process/setting.h):
//
//   RANGEFINDER_INJECT_METRICS=NAME,NAME   (kDefaultMetrics)
//   RANGEFINDER_INJECT_OPTIONAL=NAME,NAME  more metrics, which are left out
//                                          where a device refuses them
//   RANGEFINDER_INJECT_SAMPLE_NS=NS        (kDefaultIntervalNs)
//   RANGEFINDER_INJECT_SAMPLE_NS=NS+       the same, and longer intervals where
//                                          samples are lost

#pragma once

#include <cstddef>
#include <cstdint>

namespace rangefinder::inject {

// Bandwidth, L2 traffic, tensor share, busy SMs, instructions; they take one
// pass on Hopper, Blackwell and Ada.
inline constexpr char kDefaultMetrics[] =
    "sm__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum,"
    "sm__cycles_active.avg,lts__t_sectors.sum,"
    "sm__pipe_tensor_cycles_active.avg";
inline constexpr std::uint64_t kDefaultIntervalNs = 200'000;
// A sample's length is stored in 32 bits. At shorter intervals hardware and
// decoding are too slow for any set of metrics.
inline constexpr std::uint64_t kShortestIntervalNs = 5'000;
inline constexpr std::uint64_t kLongestIntervalNs = 1'000'000'000;

struct SampleSettings {
  static constexpr std::size_t kMostMetrics = 64;

  static constexpr std::size_t kMostText = 4096;

  const char* metrics[kMostMetrics] = {};  // point into the texts
  std::size_t count = 0;
  std::size_t required = 0;  // of `count`, which come first
  std::uint64_t interval_ns = kDefaultIntervalNs;
  bool widens = false;  // the interval, where samples are lost
  char text[kMostText] = {};
  char optional_text[kMostText] = {};
};

// Null: success; else the reason why the values are invalid. A metric that is
// named twice is collected once.
const char* ReadSampleSettings(SampleSettings& settings);

}  // namespace rangefinder::inject
