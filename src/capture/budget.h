// Which launches are measured where there is no time for all of them.
//
// Kernel replay can be told the launches in two ways (tests/gpu/probe_kernel_id
// shows both): by the number that each has among the launches of its kernel
// (--kernel-id, one set of numbers for all kernels), or the first few of every
// kernel and launch configuration (--filter-mode per-launch-config). By numbers
// each region gets its own; where the numbers of a run are not known beforehand
// (several threads or processes, graphs) the other is left.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capture/cost.h"
#include "capture/options.h"

namespace rangefinder {

struct Budget {
  // So many launches of every kernel and launch configuration, and with
  // `numbers` of every region, too; 0: all of them.
  std::uint64_t launch_count = 0;
  std::uint64_t measured = 0;  // launches
  std::uint64_t total = 0;
  double seconds = 0;
  bool fits = true;
  // Regions none of whose launches would be measured.
  std::vector<std::string> uncovered{};
  // The launches of each kernel that are measured, increasing. Empty: all, or
  // the first `launch_count` of each configuration.
  std::vector<std::uint64_t> numbers{};
};

// As many launches of each as `seconds` allow. By numbers where every launch
// has one: where there is no time for one of each region, kernel and
// configuration, those that take the most GPU time come first. Otherwise at
// least one of each kernel and configuration.
Budget FitBudget(std::span<const Launch> launches, int passes, double seconds,
                 const CostModel& model = {});

// Those of `launches` that `budget` measures.
std::vector<Launch> WithinBudget(std::span<const Launch> launches,
                                 const Budget& budget);

// `options` changed so that ncu measures what `budget` says, but for its
// numbers, which are for the run (PlannedRun::launch_numbers).
void ApplyBudget(const Budget& budget, NcuOptions& options);

// "12 of 840 launches will be measured, about 3 min" for people.
std::string BudgetText(const Budget& budget);

}  // namespace rangefinder
