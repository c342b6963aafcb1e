// What a run of ncu will cost, before it is made.
//
// Kernel replay takes passes x (time of the kernel + what ncu does around it)
// for every launch. How long the latter is depends on the machine and on how
// much memory the program holds, so an estimate says the order of magnitude.
// Where its numbers come from: docs/measured.md#how-long-an-ncu-run-takes.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/options.h"

namespace rangefinder {

// One launch of a discovery, in the order of the program.
struct Launch {
  std::string region{};  // label
  std::string kernel{};
  std::string config{};  // grid, block, shared memory: "(16,1,1)x(256,1,1)+0"
  double gpu_ns = 0;
  // Which launch of its kernel ncu takes it for, from 1; 0: not known.
  std::uint64_t number = 0;
};

struct CostModel {
  double run_s = 3;        // once a run of ncu, the program's time apart
  double launch_s = 0.03;  // once a launch that is measured
  double pass_s = 0.02;    // every pass of it
};

// The model for what is asked: sections that sample or take the kernels' code
// apart cost more a launch.
CostModel ModelFor(const NcuOptions& options);

// Seconds that measuring `launches` takes, the program's own time left out.
double EstimateSeconds(std::span<const Launch> launches, int passes,
                       const CostModel& model = {});

// About how many passes ncu takes for what is asked in `mode`: one for a few
// plain counters, 10 for the basic set in kernel replay, 38 for the full one.
int EstimatePasses(const NcuOptions& options, std::string_view mode = "kernel");

// "40 s", "3 min", "1.5 h"
std::string DurationText(double seconds);

}  // namespace rangefinder
