// A job of ranks for tests of what is said of it: numbers made by hand, in
// which one rank is late.

#pragma once

#include <memory>

#include "profile/rank_record.h"
#include "ranks/rank_analysis.h"

namespace rangefinder::testing {

struct RankJob {
  std::shared_ptr<Ranks> ranks = std::make_shared<Ranks>();
  std::shared_ptr<RankAnalysis> analysis = std::make_shared<RankAnalysis>();
};

// `count` ranks (at least 4) on two hosts, with the regions of a decode loop;
// the last rank is a stage of its own, without attention. Rank 2 is late: its
// mlp takes 12 % longer.
RankJob MadeRankJob(std::size_t count);

// The same with `regions` further regions inside the mlp of each.
RankJob MadeRankJob(std::size_t count, std::size_t regions);

}  // namespace rangefinder::testing
