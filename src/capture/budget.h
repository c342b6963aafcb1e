// Chooses the launches to measure if there is no time for all.
//
// Kernel replay selects launches in two ways (tests/gpu/probe_kernel_id shows
// both): by their numbers among the launches of their kernel (--kernel-id, one
// set of numbers for all kernels), or as the first launches of every kernel and
// launch configuration (--filter-mode per-launch-config). Numbers allow
// launches of every region; the second way is for runs whose numbers are not
// known before (several threads or processes, graphs).

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capture/cost.h"
#include "capture/options.h"

namespace rangefinder {

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
// launch has one; if there is no time for a launch of each region, kernel and
// configuration, those with the most GPU time come first. Otherwise selects at
// least one launch of each kernel and configuration.
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
