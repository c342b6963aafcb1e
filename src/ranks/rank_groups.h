// Ranks that behave alike, found in one pass: each joins the first group whose
// first rank has its tree and like times.

#pragma once

#include <vector>

#include "ranks/rank_analysis.h"

namespace rangefinder {

// In the order of their first ranks.
std::vector<RankGroup> GroupsOf(const Ranks& ranks);

}  // namespace rangefinder
