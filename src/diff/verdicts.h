// From times to verdicts.

#pragma once

#include "diff/comparison.h"

namespace rangefinder {

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
