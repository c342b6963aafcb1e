// Tries sampling and counting on a device for a moment: only a trial shows
// whether they work on this machine.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "counters/counter_host.h"

namespace rangefinder {

struct ProbeAnswer {
  bool works = false;
  // "GH100: 97 samples in 20 ms", or the failure and the function that failed.
  std::string found{};
  std::string fix{};  // if it does not work
  // Remarks about a machine on which it works, a sentence each.
  std::vector<std::string> remarks{};
};

// Reads two metrics (SM cycles, bytes of DRAM) of CUDA's device `device` in
// this mode: by PM sampling from start to decoded samples, or by one range
// around a memset. A child process with `timeout_s` seconds does this; its
// crash or hang is also a result. kSystem: no child can be made.
Result<ProbeAnswer> ProbeCounters(CounterMode mode, int device = 0,
                                  double timeout_s = 60);

}  // namespace rangefinder
