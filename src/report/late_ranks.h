// Who is late, and why, in sentences: the same in every document.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/rank_names.h"

namespace rangefinder {

// "decode: rank 5 last in 93.0 % of 120 instances, by 41.00 µs; of it 38.00 µs
// in layer*.mlp: its kernels took 12 % longer at equal launches". Names are as
// in the file.
std::string LateSentence(const RankNames& names, const LateRank& late);

// "decode: nobody came late, and the transfer itself took 12.00 µs longer, 1.40
// times the usual among rank 0 and rank 1".
std::string SlowNetworkSentence(const RankNames& names, const LatePart& part);

// What a part is, without its region and its time: "its kernels took 12 %
// longer at equal launches".
std::string ReasonText(const LatePart& part);

}  // namespace rangefinder
