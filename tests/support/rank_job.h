// A job with one late rank, made by hand, for tests of the sentences on ranks.

#pragma once

#include <memory>

#include "profile/rank_record.h"
#include "ranks/rank_analysis.h"

namespace rangefinder::testing {

struct RankJob {
  std::shared_ptr<Ranks> ranks = std::make_shared<Ranks>();
  std::shared_ptr<RankAnalysis> analysis = std::make_shared<RankAnalysis>();
};

// Makes `count` ranks (at least 4) on two hosts with the regions of a decode
// loop. The last rank is a pipeline stage of its own, without attention. Rank 2
// is late: its mlp takes 12 % longer.
RankJob MadeRankJob(std::size_t count);

// Makes the same job with `regions` more regions inside the mlp of each rank.
RankJob MadeRankJob(std::size_t count, std::size_t regions);

}  // namespace rangefinder::testing
