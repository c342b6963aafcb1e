// Sentences about a comparison that several documents contain.

#pragma once

#include <cstddef>
#include <string>

#include "diff/comparison.h"
#include "document/quantity.h"

namespace rangefinder {

// "+12.3 %"; near 1, the first decimal.
std::string ChangeText(double ratio);
Quantity ChangeOf(double ns);  // "+1.20 ms"
std::string IntervalText(const Interval& interval);

// The path of a region; for [0] "(the whole run)".
std::string PathTextOf(const Comparison& comparison, std::size_t region);

// "Selected regions: all but decode; selected kernels: gemm*": what all numbers
// are of. Empty without a selection; a caveat tells that the sides differ.
std::string SelectionText(const Comparison& comparison);
// "GPU time per run 1.20 ms → 1.00 ms, -16.7 % (95 %: -18.0 to -15.1 %)".
std::string GpuTimeText(const Comparison& comparison);
// The change of the wall time of the outermost regions, and the region that
// causes most of it, without its inner regions; empty: unknown.
std::string WallTimeText(const Comparison& comparison);

// The number of runs that would decide; empty if there are enough.
std::string MoreRunsText(const Comparison& comparison);

}  // namespace rangefinder
