// Tries sampling and counting on a device for a moment: there is no other way
// to know whether they work.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "counters/counter_host.h"

namespace rangefinder {

struct ProbeAnswer {
  bool works = false;
  // "GH100: 97 samples in 20 ms", or the error with its function.
  std::string found{};
  std::string fix{};  // if it does not work
  // Remarks if it works, one sentence each.
  std::vector<std::string> remarks{};
};

// Reads two metrics (SM cycles, bytes of DRAM) of CUDA device `device` in
// `mode`: PM sampling from start to decoded samples, or one range around a
// memset. A child process does it in at most `timeout_s` seconds; a crash or a
// hang is an answer too. kSystem if there can be no child process.
Result<ProbeAnswer> ProbeCounters(CounterMode mode, int device = 0,
                                  double timeout_s = 60);

}  // namespace rangefinder
