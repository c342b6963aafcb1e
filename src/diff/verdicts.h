// From times to verdicts.

#pragma once

#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// ---- Certain changes -------------------------------------------------------

// Differences that noise cannot explain: the number of instances of a region,
// its launches, their kernels and shapes.

// Facts of a region of `base` and its partner in `other`. A number that differs
// between the runs of one side is no fact. `per_instance`: launches are counted
// per instance.
std::vector<Fact> FactsOf(const Side& base, std::size_t in_base,
                          const Side& other, std::size_t in_other,
                          const std::vector<KernelPair>& kernels,
                          bool per_instance);

// Marks a kernel that one region lost and another gained as moved.
void MarkMoved(std::vector<RegionChange>& regions);

// Sets the statistics and the verdict of every region.
//
// SLOWER needs all of: least_runs on both sides, a 95 % interval of the ratio
// of medians without 1, more than both thresholds, p <= alpha over the whole
// report, and the same in cycles where both sides counted them, of the region
// or of an outer region.
void Judge(const DiffRules& rules, Comparison& comparison);

// The thresholds of a region: its own, else the common ones; and at least twice
// the deviation of one run, where it was calibrated.
Threshold ThresholdOf(const DiffRules& rules, const std::string& path);

}  // namespace rangefinder
