// Why a rank is late: its difference to the rank in the middle, taken apart by
// region and reason.
//
// Differences are of the sums that a rank's record has, by instance of the
// region that it is late in, each region without its inner ones. What they say
// is set against how late the rank came, which the collectives say.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ranks/collective_waits.h"
#include "ranks/exclusive_times.h"
#include "ranks/joined_regions.h"
#include "ranks/late_ranks.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {

// Of some ranks, each number in the middle, and how far they lie from it: the
// median distance, 0 where there are too few to say.
struct TypicalTimes {
  std::vector<ExclusiveTimes> middle{};
  std::vector<ExclusiveTimes> distance{};
};

class LateParts {
 public:
  LateParts(const Ranks& ranks, const JoinedRegions& regions,
            const RegionWaits& waits)
      : ranks_(ranks), regions_(regions), waits_(waits) {}

  // They add up to `finding.late.late_ns`; most weighty first. What came before
  // the region may have made the rank late: with `widen` the regions around it
  // are looked at where it says too little itself.
  std::vector<LatePart> Of(const LateFinding& finding, bool widen);

 private:
  // In the node `top` of its tree, by instance of the finding's region.
  std::vector<ExclusiveTimes> TimesOf(std::size_t record,
                                      const LateFinding& finding,
                                      std::size_t top);
  std::vector<ExclusiveTimes> TimesAs(const RankTree& tree,
                                      const RankRecord& like,
                                      std::size_t record,
                                      const LateFinding& finding,
                                      std::size_t top);
  // Of the other ranks, with a tree like its own where there are such; empty
  // where there are none.
  TypicalTimes TypicalOf(const LateFinding& finding, std::size_t top);

  const Ranks& ranks_;
  const JoinedRegions& regions_;
  const RegionWaits& waits_;
  // Collectives by node, of the records that were asked for.
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> collectives_;
};

}  // namespace rangefinder
