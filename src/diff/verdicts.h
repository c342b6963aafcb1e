// Derives verdicts from times.

#pragma once

#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// ---- Certain changes -------------------------------------------------------

// Differences that noise cannot explain: numbers of instances and launches, the
// kernels, and their launch shapes.

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
// SLOWER requires all of these: least_runs on both sides; a 95 % interval of
// the ratio of medians that excludes 1; a change beyond both thresholds; p <=
// alpha over the whole report; and the same in cycles, of the region or of an
// outer region, if both sides counted cycles.
void Judge(const DiffRules& rules, Comparison& comparison);

}  // namespace rangefinder
