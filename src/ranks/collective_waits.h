// Waiting and transfer of every matched collective: the time before and after
// the arrival of the last rank.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "ranks/channels.h"
#include "ranks/communicators.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

// Of a time that is not known.
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The times of one communicator on the shared clock, in ns relative to a moment
// of each collective; NaN if a member lacks the collective.
struct CommunicatorTimes {
  CommunicatorTimes(const Channels& channels, const HostClocks& clocks,
                    const Communicator& communicator);

  std::size_t members = 0;
  std::size_t length = 0;
  // By Index(member, collective).
  std::vector<float> start{}, end{}, launch{};
  std::vector<double> since{};  // the moment of each collective
  // The latest start by collective; NaN if fewer than two members have it.
  std::vector<float> latest{};
  // The index in the member's channel, by Index(); kNone: the member lacks it.
  std::vector<std::uint32_t> at{};
  // The first index of each member, and the end. Cut members have fewer
  // collectives, and come last.
  std::vector<std::size_t> rows{};
  std::vector<std::size_t> members_at{};

  std::size_t RowSize(std::size_t member) const {
    return rows[member + 1] - rows[member];
  }
  // Only members before this one may have collective `k`.
  std::size_t MembersAt(std::size_t k) const { return members_at[k]; }
  // `k` must be less than RowSize(member).
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

// Inclusive sums by record and node of its tree; nothing if a node has no
// matched collective.
struct RegionWaits {
  std::vector<std::vector<std::optional<double>>> waiting_ns{};
  std::vector<std::vector<std::optional<double>>> transfer_ns{};
};

class WaitSums {
 public:
  WaitSums(const Ranks& ranks, const Channels& channels);

  void Add(const Communicator& communicator, const CommunicatorTimes& times);
  // Call after the last Add().
  RegionWaits Finish();

  const CollectiveWaits& waits() const { return waits_; }

 private:
  const Ranks& ranks_;
  const Channels& channels_;
  CollectiveWaits waits_;
  RegionWaits sums_;
};

}  // namespace rangefinder
