// Transfers that are long although nobody came late: now and then, against the
// same collective of other instances, or always, against that of communicators
// that do the same.
//
// A trace has no sizes. What a region does there by instance is taken to be as
// large each time; where it is not, the larger ones are found.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "ranks/channels.h"
#include "ranks/collective_waits.h"
#include "ranks/communicators.h"
#include "ranks/joined_regions.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {

class SlowTransfers {
 public:
  SlowTransfers(const Ranks& ranks, const Channels& channels,
                const JoinedRegions& regions)
      : ranks_(ranks), channels_(channels), regions_(regions) {}

  void Add(const Communicator& communicator, const CommunicatorTimes& times);
  // The costliest first.
  std::vector<LatePart> Take();

 private:
  // A region's collectives of one kind in one communicator.
  struct Usual {
    double ns = 0;  // of an instance, in the middle
    std::size_t instances = 0;
    std::vector<std::size_t> records{};
  };
  // Communicators with equal ones do the same: region, kind, ranks, how often.
  using Like = std::tuple<std::size_t, std::uint32_t, std::size_t, std::size_t>;
  struct Slow {
    double lost_ns = 0;
    LatePart part{};
  };

  void AddTransfers(const Like& like, std::vector<double> each,
                    std::vector<std::size_t> records);
  void CompareAlike();

  const Ranks& ranks_;
  const Channels& channels_;
  const JoinedRegions& regions_;
  std::map<Like, std::vector<Usual>> usual_;
  std::vector<Slow> slow_;
};

}  // namespace rangefinder
