// How late each rank of a communicator came to each of its collectives.

#pragma once

#include <cstddef>
#include <vector>

#include "ranks/channels.h"
#include "ranks/collective_waits.h"
#include "ranks/communicators.h"

namespace rangefinder {

// How long each rank had waited at any time, over all its communicators.
class WaitedSoFar {
 public:
  WaitedSoFar(const Ranks& ranks, const Channels& channels,
              const CollectiveWaits& waits);

  // In what had ended by then, on the clock of the record's host.
  double At(std::size_t record, double ns) const;

 private:
  struct Waited {
    std::vector<double> end_ns{};
    std::vector<double> sum_ns{};
  };
  std::vector<Waited> by_record_;
};

// By member and collective, as CommunicatorTimes; in ns after the rank in the
// middle, and negative before it. NaN: it is not there, or fewer than two are.
struct Lateness {
  Lateness(const Channels& channels, const Communicator& communicator,
           const CommunicatorTimes& times, const WaitedSoFar& waited);

  // As far as it did not wait for others meanwhile.
  std::vector<float> start{};
  // Of the launch calls, at least 0 and at most what it came late.
  std::vector<float> launch{};
};

}  // namespace rangefinder
