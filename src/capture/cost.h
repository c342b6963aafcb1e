// What a run of ncu will cost, before it is made, and how to fit it to a
// budget.
//
// Kernel replay takes passes x (time of the kernel + what ncu does around it)
// for every launch. How long the latter is depends on the machine and on how
// much memory the program holds, so an estimate says the order of magnitude
// until a first run has calibrated it.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capture/options.h"

namespace rangefinder {

// One launch of a discovery, in the order of the program.
struct Launch {
  std::string region{};  // label
  std::string kernel{};
  std::string config{};  // grid and block: "(16,1,1)x(256,1,1)"
  double gpu_ns = 0;
};

struct CostModel {
  double launch_s = 0.05;  // once a launch that is measured
  double pass_s = 0.03;    // every pass of it
};

// The model that explains a run that took `seconds` for `launches` of `passes`
// each; launch and pass keep their ratio.
CostModel Calibrated(const CostModel& model, double seconds,
                     std::uint64_t launches, int passes);

// Seconds that measuring `launches` takes, the program's own time left out.
double EstimateSeconds(std::span<const Launch> launches, int passes,
                       const CostModel& model = {});

// About how many passes ncu takes for what is asked: one for a few plain
// counters, 8 to 11 for the basic set, 38 and more for the full one.
int EstimatePasses(const NcuOptions& options);

// The first `launch_count` launches of every (kernel, grid, block).
struct Budget {
  std::uint64_t launch_count = 0;  // 0: all of them
  std::uint64_t measured = 0;      // launches
  std::uint64_t total = 0;
  double seconds = 0;
  bool fits = true;
  // Regions none of whose launches would be measured.
  std::vector<std::string> uncovered{};
};

// As many launches of each as `seconds` allow, at least one.
Budget FitBudget(std::span<const Launch> launches, int passes, double seconds,
                 const CostModel& model = {});

// `options` changed so that ncu measures what `budget` says.
void ApplyBudget(const Budget& budget, NcuOptions& options);

// "12 of 840 launches will be measured, about 3 min" for people.
std::string BudgetText(const Budget& budget);

}  // namespace rangefinder
