// Whether two channels carry the collectives of one communicator: every rank
// leaves a collective when it is done, all at about one time, and none before
// the last has come.
//
// Of long channels some instances are looked at, spread over all.

#pragma once

#include <cstddef>
#include <optional>

#include "ranks/channels.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

// The instances that are looked at, of so many.
inline constexpr std::size_t kMostLookedAt = 48;
// How far apart the ends of one collective may be: a part of the shorter of the
// two kernels, which is nearly all transfer, and what clocks are off.
inline constexpr double kEndSlackNs = 10e3;
inline constexpr double kEndSlackPart = 0.1;
// Of the instances that were looked at.
inline constexpr double kLeastAgreeing = 0.8;

struct ChannelAgreement {
  double share = 0;        // of instances at which the two may be one
  double distance_ns = 0;  // of their ends, in the middle
  std::size_t seen = 0;    // instances that were looked at

  bool may_be_one() const { return seen > 0 && share >= kLeastAgreeing; }
  // Of two that may be, which is more likely.
  bool IsBetterThan(const ChannelAgreement& other) const {
    return distance_ns < other.distance_ns;
  }
};

// Of `count` instances from the first of both, which are of equal kinds, with
// the clocks as they are tied.
ChannelAgreement Agree(const Channels& channels, const HostClocks& clocks,
                       const Channel& a, const Channel& b, std::size_t count);

// The same where nothing ties the clocks: `line` takes those of b's host to the
// shared clock of a's as well as can be.
struct FreeAgreement {
  ChannelAgreement agreement{};
  ClockLine line{};
};
FreeAgreement AgreeWithAnyClock(const Channels& channels,
                                const HostClocks& clocks, const Channel& a,
                                const Channel& b, std::size_t count);

// The instance at `i` of `looked_at` of `count`.
inline std::size_t LookedAt(std::size_t i, std::size_t looked_at,
                            std::size_t count) {
  return looked_at < 2 ? 0 : i * (count - 1) / (looked_at - 1);
}

}  // namespace rangefinder
