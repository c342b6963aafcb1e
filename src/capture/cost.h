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

// ---- Budget ----------------------------------------------------------------

// Chooses the launches to measure if there is no time for all.
//
// Kernel replay selects launches in two ways (bench/gpu/probe_kernel_id shows
// both): by their numbers among the launches of their kernel (--kernel-id, one
// set of numbers for all kernels), or as the first launches of every kernel and
// launch configuration (--filter-mode per-launch-config). Numbers allow
// launches of every region; the second way is for runs whose numbers are not
// known in advance (several threads or processes, graphs).

struct Budget {
  // Launches of every kernel and launch configuration, and with `numbers` of
  // every region too; 0: all.
  std::uint64_t launch_count = 0;
  std::uint64_t measured = 0;  // launches
  std::uint64_t total = 0;
  double seconds = 0;
  bool fits = true;
  // Regions without a measured launch.
  std::vector<std::string> uncovered{};
  // Numbers of the measured launches of each kernel, increasing. Empty: all
  // launches, or the first `launch_count` of each configuration.
  std::vector<std::uint64_t> numbers{};
};

// Chooses as many launches as `seconds` allow. Selects by numbers if every
// launch has a number. If there is no time for a launch of each combination of
// region, kernel and configuration, the combinations with the most GPU time
// come first. Without numbers, selects at least one launch of each kernel and
// configuration.
Budget FitBudget(std::span<const Launch> launches, int passes, double seconds,
                 const CostModel& model = {});

// The launches that `budget` measures.
std::vector<Launch> WithinBudget(std::span<const Launch> launches,
                                 const Budget& budget);

// Changes `options` so that ncu measures the launches of `budget`, except for
// its numbers, which belong to the run (PlannedRun::launch_numbers).
void ApplyBudget(const Budget& budget, NcuOptions& options);

// "12 of 840 launches will be measured, about 3 min" for people.
std::string BudgetText(const Budget& budget);

}  // namespace rangefinder
