// Where the whole change comes from.

#pragma once

#include <vector>

#include "diff/comparison.h"

namespace rangefinder {

// Every kernel of every region, and what of a region is no kernel's: their
// changes add up to that of the whole. Those that changed nothing are left out.
// Most time first.
std::vector<Contribution> ContributionsOf(
    const std::vector<RegionChange>& regions);

}  // namespace rangefinder
