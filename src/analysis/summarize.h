// Makes a summary of an analysis: the numbers of every region and kernel as
// sums, to which sums of other ranks can be added.

#pragma once

#include "analysis/analysis.h"
#include "profile/rank_record.h"
#include "summary/summary.h"

namespace rangefinder {

// Whether the profile was read from a summary, of which no summary can be made.
bool HasSummary(const Profile& profile);

// Sums over all ranks of the analysis. `ranks` are their records; their keys
// become sources. Linear in the measurements. Data that do not fit into a
// summary become notes.
Summary Summarize(const Analysis& analysis, const Ranks& ranks,
                  const std::vector<UserRule>& rules);

}  // namespace rangefinder
