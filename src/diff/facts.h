// What differs and is no matter of noise: how often a region ran, what it
// launched and how.

#pragma once

#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// Of two regions that belong together. A number that differs between the runs
// of one side is no fact and left out; `per_instance`: launches are said of one
// instance.
std::vector<Fact> FactsOf(const Side& base, std::size_t old, const Side& other,
                          std::size_t fresh,
                          const std::vector<KernelPair>& kernels,
                          bool per_instance);

// A kernel that is gone here and new there has moved.
void MarkMoved(std::vector<RegionChange>& regions);

}  // namespace rangefinder
