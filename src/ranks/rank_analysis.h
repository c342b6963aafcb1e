// Finds late ranks and the reasons, by comparing the ranks of a job.
//
// A collective runs on every rank until the last rank has arrived. Collectives
// are matched over the ranks of a communicator by order and kind. The time up
// to the latest start is waiting, the rest is transfer. docs/ranks.md has the
// method and its limits.

#pragma once

#include <string_view>
#include <vector>

#include "profile/rank_record.h"
#include "ranks/rank_findings.h"

namespace rangefinder {

std::string_view LateReasonName(LateReason reason);  // "compute" "work" …

// Takes time linear in the ranks and their collectives. With fewer than two
// records, it gives regions only.
RankAnalysis AnalyzeRanks(const Ranks& ranks);

// How long each collective waited for its last rank, from its own start on, in
// ns, by record and collective; NaN: not matched.
std::vector<std::vector<float>> RankWaits(const Ranks& ranks);

}  // namespace rangefinder
