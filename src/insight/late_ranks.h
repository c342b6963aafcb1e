// Late ranks and their reasons as sentences, the same in every document.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "insight/rank_names.h"

namespace rangefinder {

// Documents show no more of RankAnalysis::late; the others hardly matter.
inline constexpr std::size_t kMostLate = 100;

// "rank 5 last in 93.0 % of 120 instances, by 41.00 µs; of it 38.00 µs in
// layer*.mlp: its kernels took 12 % longer at equal launches". Names are as in
// the file.
std::string LateText(const RankNames& names, const LateRank& late);
// The same after the name of the region: "decode: rank 5 last in ...".
std::string LateSentence(const RankNames& names, const LateRank& late);

// The time in ns for which the other ranks waited for the late rank: its
// lateness times their number, at most their waiting time in the region.
double LostNs(const RankAnalysis& analysis, const LateRank& late);

// By the first `most` of RankAnalysis::late: the index of the first entry about
// the same rank in an outer or inner region. The first entry has its own index.
std::vector<std::size_t> LateSaidBy(const RankAnalysis& analysis,
                                    std::size_t most);

// "decode: no rank came late, and the transfer itself took 12.00 µs
// longer, 1.40 times the usual, with messages 2 times as large among rank 0 and
// rank 1".
std::string SlowNetworkSentence(const RankNames& names, const LatePart& part);

// The reason of a part, without its region and time: "its kernels took 12 %
// longer at equal launches".
std::string ReasonText(const LatePart& part);

}  // namespace rangefinder
