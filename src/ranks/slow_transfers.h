// Finds transfers that take long although no rank came late: in some instances
// of a collective compared with its others, or always compared with
// communicators that run the same collectives.
//
// A trace has no transfer sizes. A region's collective is assumed to have the
// same size in each instance; if it has not, the larger instances are found.

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
#include "ranks/rank_findings.h"

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
    double ns = 0;  // median of instances
    std::size_t instances = 0;
    std::vector<std::size_t> records{};
  };
  // Region, kind, number of ranks, number of instances: communicators with
  // equal ones are compared.
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
