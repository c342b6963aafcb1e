// Which channels of different ranks are one communicator, and which of their
// collectives are one. A trace does not say it.
//
// Channels of one communicator did the same kinds in the same order, and left
// each at about one time (channel_agreement.h). Clocks of several hosts are
// tied on the way: by the differences between successive ends, which know no
// distance of clocks.

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
  // Which collective of the communicator each of the channel's is; kNone: of
  // none. Empty: each is the one of its own number.
  std::vector<std::uint32_t> numbers{};

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // One more than the number of the last of `size`.
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
  // The first has all; those that were cut come last, the shortest last of all.
  std::vector<CommunicatorMember> members{};
};

// Every channel is in exactly one, with one member where it fits no other.
std::vector<Communicator> FindCommunicators(const Channels& channels,
                                            HostClocks& clocks);

}  // namespace rangefinder
