// Numbers over ranks: every region over the ranks that have it, and groups of
// similar ranks.

#pragma once

#include <vector>

#include "ranks/collective_waits.h"
#include "ranks/joined_regions.h"
#include "ranks/rank_findings.h"

namespace rangefinder {

std::vector<RegionOverRanks> RegionsOverRanks(const Ranks& ranks,
                                              const JoinedRegions& regions,
                                              const RegionWaits& waits);

// Every rank is in one group. Groups are in the order of their first ranks.
std::vector<RankGroup> GroupsOf(const Ranks& ranks);

}  // namespace rangefinder
