// Whether two channels carry the collectives of one communicator: every rank
// leaves a collective when it is done, all at about one time, and none before
// the last has come.
//
// Communicators that do the same at the same time, as the ranks of a job do,
// end at about one time as well. What tells them apart is that ranks come to a
// collective as they will, and leave it together: ends of one communicator
// spread less than its starts, those of two as much.
//
// Of long channels some instances are looked at, spread over all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks/channels.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

// The instances that are looked at, of so many.
inline constexpr std::size_t kMostLookedAt = 48;
// How far apart the ends of one collective may be: a part of the shorter of the
// two kernels, which is nearly all transfer, and what clocks are off.
inline constexpr double kEndSlackNs = 10e3;
inline constexpr double kEndSlackPart = 0.1;

// The instance at `i` of `looked_at` of `count`.
inline std::size_t LookedAt(std::size_t i, std::size_t looked_at,
                            std::size_t count) {
  return looked_at < 2 ? 0 : i * (count - 1) / (looked_at - 1);
}

// The instances of a channel, or of several that are one communicator's on one
// host, that are looked at; times on the host's clock.
struct ChannelSeries {
  std::size_t host = 0;
  std::vector<double> start{};  // of the last to come
  std::vector<double> end{};
  std::vector<double> duration{};  // of the shortest kernel
  std::vector<bool> synchronizes{};

  // Of the first `count` instances.
  ChannelSeries(const Channels& channels, const Channel& channel,
                std::size_t count);
  // Another channel of the same host and as many instances.
  void Add(const ChannelSeries& other);
};

struct ChannelAgreement {
  bool may_be_one = false;
  double distance_ns = 0;  // of their ends, in the middle

  // Of two that may be, which is more likely.
  bool IsBetterThan(const ChannelAgreement& other) const {
    return distance_ns < other.distance_ns;
  }
};

// Of as many instances, of equal kinds, with the clocks as they are tied.
ChannelAgreement Agree(const HostClocks& clocks, const ChannelSeries& a,
                       const ChannelSeries& b);

// The same where nothing ties the clocks: `line` takes those of b's host to the
// shared clock of a's as well as can be.
struct FreeAgreement {
  ChannelAgreement agreement{};
  ClockLine line{};
};
FreeAgreement AgreeWithAnyClock(const HostClocks& clocks,
                                const ChannelSeries& a, const ChannelSeries& b);

}  // namespace rangefinder
