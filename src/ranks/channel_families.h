// Channels that did the same kinds in the same order, and those among them that
// are of one communicator on one host, where all clocks are one.

#pragma once

#include <cstddef>
#include <vector>

#include "ranks/channel_agreement.h"
#include "ranks/channels.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

// A communicator as far as it is on one host.
struct HostPart {
  ChannelSeries series;
  std::vector<std::size_t> channels{};  // in order

  std::size_t host() const { return series.host; }
};

struct ChannelFamily {
  std::size_t length = 0;  // collectives of each channel
  std::size_t hosts = 0;
  std::size_t most_on_a_host = 0;  // parts
  std::vector<HostPart> parts{};   // by host
};

// Those on most hosts with the fewest parts on each come first: they say most
// of the clocks.
std::vector<ChannelFamily> FindFamilies(const Channels& channels,
                                        const HostClocks& clocks);

}  // namespace rangefinder
