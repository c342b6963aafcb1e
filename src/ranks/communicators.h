// Finds the channels of different ranks that belong to one communicator, and
// the matching collectives of each.
//
// Channels of one communicator have the same kinds of collectives in the same
// order (a kind includes the communicator if NCCL reports it), and each
// collective ends at about the same time in all of them (channel_agreement.h).
// Finding them also ties the clocks of several hosts, by the differences
// between successive ends, which do not depend on the offset of the clocks.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ranks/channels.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

struct CommunicatorMember {
  std::size_t channel = 0;
  // The communicator's number of each collective of the channel; kNone: it
  // matches none. Empty: numbers are equal.
  std::vector<std::uint32_t> numbers{};

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // One more than the number of the last of the channel's `size` collectives.
  std::size_t RowSize(std::size_t size) const {
    std::size_t row = numbers.empty() ? size : 0;
    for (const std::uint32_t number : numbers) {
      if (number != kNone) row = std::size_t{number} + 1;
    }
    return row;
  }
  std::uint32_t NumberOf(std::size_t i) const {
    return numbers.empty() ? static_cast<std::uint32_t>(i) : numbers[i];
  }
};

struct Communicator {
  std::size_t length = 0;  // collectives
  // The first has all collectives. Cut members come last, the shortest at the
  // end.
  std::vector<CommunicatorMember> members{};
};

// Every channel is in exactly one communicator, alone if it matches no other.
std::vector<Communicator> FindCommunicators(const Channels& channels,
                                            HostClocks& clocks);

}  // namespace rangefinder
