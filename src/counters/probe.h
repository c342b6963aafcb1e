// Trying sampling and counting on a device, for real and for a moment: whether
// they work here is known by nothing else.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "counters/counter_host.h"

namespace rangefinder {

struct ProbeAnswer {
  bool works = false;
  // "GH100: 97 samples in 20 ms", or what failed, in which function.
  std::string found{};
  std::string fix{};  // where it does not work
  // What is noteworthy though it works, as a sentence each.
  std::vector<std::string> remarks{};
};

// Reads two metrics (SM cycles, bytes of DRAM) of CUDA's device `device` as
// `mode` does: PM sampling from start to decoded samples, or one range around a
// memset. In a child process that has `timeout_s` seconds; a crash and a hang
// are answers as good as any. kSystem where no child can be made.
Result<ProbeAnswer> ProbeCounters(CounterMode mode, int device = 0,
                                  double timeout_s = 60);

}  // namespace rangefinder
