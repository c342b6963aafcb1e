// Decides whether two channels carry the collectives of one communicator: all
// ranks leave a collective at about the same time, and none before the last has
// arrived.
//
// Different communicators may run the same collectives at the same time. Ranks
// arrive at a collective at different times and leave together, so within one
// communicator the ends differ less than the starts. Between two communicators,
// the ends differ as much as the starts.
//
// Of a long channel, only some evenly spread instances are compared.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks/channels.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

// At most this many instances are compared.
inline constexpr std::size_t kMostLookedAt = 48;
// The ends of one collective may differ by the uncertainty of clocks and by a
// part of the shorter of the two kernels, which is nearly all transfer.
inline constexpr double kEndSlackNs = 10e3;
inline constexpr double kEndSlackPart = 0.1;

// The `i`-th of `looked_at` instances that are evenly spread over `count`.
inline std::size_t LookedAt(std::size_t i, std::size_t looked_at,
                            std::size_t count) {
  return looked_at < 2 ? 0 : i * (count - 1) / (looked_at - 1);
}

// The compared instances of a channel, or of several channels of one
// communicator on one host; times on the host's clock.
struct ChannelSeries {
  std::size_t host = 0;
  std::vector<double> start{};  // the latest
  std::vector<double> end{};
  std::vector<double> duration{};  // of the shortest kernel
  std::vector<bool> synchronizes{};

  // Takes the first `count` instances.
  ChannelSeries(const Channels& channels, const Channel& channel,
                std::size_t count);
  // Adds another channel of the same host with as many instances.
  void Add(const ChannelSeries& other);
};

struct ChannelAgreement {
  bool may_be_one = false;
  double distance_ns = 0;  // median distance of ends

  // Any agreement is better than none.
  bool IsBetterThan(const ChannelAgreement& other) const {
    return may_be_one && (!other.may_be_one || distance_ns < other.distance_ns);
  }
};

// Compares series with equal numbers and kinds of instances, by tied clocks.
ChannelAgreement Agree(const HostClocks& clocks, const ChannelSeries& a,
                       const ChannelSeries& b);

// Compares series whose clocks are not tied: `line` is the best line from the
// clock of b's host to the shared clock of a's host.
struct FreeAgreement {
  ChannelAgreement agreement{};
  ClockLine line{};
};
FreeAgreement AgreeWithAnyClock(const HostClocks& clocks,
                                const ChannelSeries& a, const ChannelSeries& b);

}  // namespace rangefinder
