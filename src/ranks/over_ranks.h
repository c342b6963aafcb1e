// Every region over all ranks that have it: least, middle and most, and whose.

#pragma once

#include <vector>

#include "ranks/collective_waits.h"
#include "ranks/joined_regions.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {

std::vector<RegionOverRanks> RegionsOverRanks(const Ranks& ranks,
                                              const JoinedRegions& regions,
                                              const RegionWaits& waits);

}  // namespace rangefinder
