// Predicts the cost of a run of ncu.
//
// Kernel replay takes passes x (time of the kernel + overhead of ncu) per
// launch. The overhead depends on the machine and on the target's memory, so
// the prediction gives an order of magnitude. Source of the numbers:
// docs/measured.md#how-long-an-ncu-run-takes.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/options.h"

namespace rangefinder {

// A launch of a baseline run, in the order of the program.
struct Launch {
  std::string region{};  // label
  std::string kernel{};
  std::string config{};  // grid, block, shared memory: "(16,1,1)x(256,1,1)+0"
  double gpu_ns = 0;
  // Its number among the launches of its kernel, as ncu counts, from 1; 0: not
  // known.
  std::uint64_t number = 0;
};

struct CostModel {
  double run_s = 3;        // per run of ncu, without the target's time
  double launch_s = 0.03;  // per measured launch
  double pass_s = 0.02;    // per pass of a launch
};

// The model for these options: sections that sample or disassemble kernels cost
// more per launch.
CostModel ModelFor(const NcuOptions& options);

// Seconds to measure `launches`, without the target's own time.
double EstimateSeconds(std::span<const Launch> launches, int passes,
                       const CostModel& model = {});

// The approximate number of passes of ncu in `mode`: 1 for a few counters, 10
// for the basic set in kernel replay, 38 for the full set.
int EstimatePasses(const NcuOptions& options, std::string_view mode = "kernel");

// "40 s", "3 min", "1.5 h"
std::string DurationText(double seconds);

}  // namespace rangefinder
