// Differences that noise cannot explain: the number of instances of a region,
// its launches, their kernels and shapes.

#pragma once

#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// Facts of a region of `base` and its partner in `other`. A number that differs
// between the runs of one side is no fact. `per_instance`: launches are counted
// per instance.
std::vector<Fact> FactsOf(const Side& base, std::size_t in_base,
                          const Side& other, std::size_t in_other,
                          const std::vector<KernelPair>& kernels,
                          bool per_instance);

// Marks a kernel that one region lost and another gained as moved.
void MarkMoved(std::vector<RegionChange>& regions);

}  // namespace rangefinder
