// Waiting and transfer of every collective that was matched: up to when the
// last rank came, and from then on.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ranks/channels.h"
#include "ranks/communicators.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

// The instants of one communicator on one clock, in ns since a moment of each
// collective; NaN where a member has none.
struct CommunicatorTimes {
  CommunicatorTimes(const Channels& channels, const HostClocks& clocks,
                    const Communicator& communicator);

  std::size_t members = 0;
  std::size_t length = 0;
  // Of member m and collective k at Index(m, k).
  std::vector<float> start{}, end{}, launch{};
  std::vector<double> since{};  // by collective, on the shared clock
  // The latest start; NaN where fewer than two members have it.
  std::vector<float> latest{};
  // Index into its channel of each member's, as above; kNone: it has none.
  std::vector<std::uint32_t> at{};
  // Where each member's begin, and where the last's end: cut ones have fewer,
  // and come last.
  std::vector<std::size_t> rows{};
  std::vector<std::size_t> members_at{};

  std::size_t RowSize(std::size_t member) const {
    return rows[member + 1] - rows[member];
  }
  // Those before this one may have the collective, the others have not.
  std::size_t MembersAt(std::size_t k) const { return members_at[k]; }
  // Of one that is there.
  std::size_t Index(std::size_t member, std::size_t k) const {
    return rows[member] + k;
  }
  bool IsThere(std::size_t member, std::size_t k) const {
    return k < RowSize(member) &&
           at[Index(member, k)] != CommunicatorMember::kNone;
  }
  float Waiting(std::size_t member, std::size_t k) const;
  float Transfer(std::size_t member, std::size_t k) const;
};

// By record and collective; NaN: not matched.
using CollectiveWaits = std::vector<std::vector<float>>;

// Sums by record and node of its tree, inner regions included; nothing where a
// node has no collective that was matched.
struct RegionWaits {
  std::vector<std::vector<std::optional<double>>> waiting_ns{};
  std::vector<std::vector<std::optional<double>>> transfer_ns{};
};

class WaitSums {
 public:
  WaitSums(const Ranks& ranks, const Channels& channels);

  void Add(const Communicator& communicator, const CommunicatorTimes& times);
  // After the last.
  RegionWaits Finish();

  const CollectiveWaits& waits() const { return waits_; }

 private:
  const Ranks& ranks_;
  const Channels& channels_;
  CollectiveWaits waits_;
  RegionWaits sums_;
};

}  // namespace rangefinder
