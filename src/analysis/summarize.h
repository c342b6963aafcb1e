// From an analysis to a summary of it: the numbers of every region and kernel
// as sums that other ranks' can be added to.

#pragma once

#include "analysis/analysis.h"
#include "profile/rank_record.h"
#include "summary/summary.h"

namespace rangefinder {

// Whether the profile was read from a summary: a summary of a summary is not
// made.
bool HasSummary(const Profile& profile);

// Of all ranks of the analysis together. `ranks` are their records, whose keys
// are among its sources. Linear in the measurements. Data that do not fit into
// a summary become notes.
Summary Summarize(const Analysis& analysis, const Ranks& ranks,
                  const std::vector<UserRule>& rules);

}  // namespace rangefinder
