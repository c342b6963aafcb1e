// From times to verdicts.

#pragma once

#include "diff/comparison.h"

namespace rangefinder {

// Sets the statistics and the verdict of every region.
//
// SLOWER takes all of: least_runs on both sides, a 95 % interval of the ratio
// of medians without 1, more than both thresholds, a chance of at most alpha
// that anything in the whole report is so different, and the same in cycles
// where both sides counted them, of the region or of one around it.
void Judge(const DiffRules& rules, Comparison& comparison);

// The thresholds of a region: its own, else the common ones; and at least twice
// what one run deviates by, where that was calibrated.
Threshold ThresholdOf(const DiffRules& rules, const std::string& path);

}  // namespace rangefinder
