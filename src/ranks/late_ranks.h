// Which rank the others wait for, by instance of every region.
//
// How late a rank came to a collective is by its start against that of the rank
// in the middle; of that only what it lost itself counts: where it waited for a
// third one in another communicator meanwhile, that one is late and not it.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "ranks/channels.h"
#include "ranks/collective_waits.h"
#include "ranks/communicators.h"
#include "ranks/joined_regions.h"
#include "ranks/lateness.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {

// A late rank, and what its reasons are found from.
struct LateFinding {
  LateRank late{};  // without its parts
  // Over all instances; `late.late_ns` is of those in which it came last.
  double mean_late_ns = 0;
  // Of those in which it came last: how much later than in the middle its calls
  // launched, as far as the collectives came late; nothing: not known.
  std::optional<double> launch_late_ns{};
  std::vector<std::size_t> records{};  // some of the communicator
  // Its instances are single collectives, not those of the region.
  bool by_collective = false;

  double lost_ns() const {
    return late.late_ns * static_cast<double>(late.last);
  }
};

class LateRanks {
 public:
  LateRanks(const Ranks& ranks, const Channels& channels,
            const JoinedRegions& regions, const WaitedSoFar& waited)
      : ranks_(ranks),
        channels_(channels),
        regions_(regions),
        waited_(waited) {}

  void Add(const Communicator& communicator, const CommunicatorTimes& times);
  // One a region at most, the costliest first.
  std::vector<LateFinding> Take();

 private:
  struct Within;
  std::map<std::size_t, Within> ByRegion(const Communicator& communicator,
                                         const CommunicatorTimes& times) const;
  std::size_t EachOf(const RankRecord& record, std::size_t region,
                     const Within& within) const;

  const Ranks& ranks_;
  const Channels& channels_;
  const JoinedRegions& regions_;
  const WaitedSoFar& waited_;
  std::map<std::size_t, LateFinding> by_region_;
};

}  // namespace rangefinder
