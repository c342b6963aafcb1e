// Families of channels with the same kinds of collectives in the same order,
// and the channels of one communicator on one host, where all processes share a
// clock.

#pragma once

#include <cstddef>
#include <vector>

#include "ranks/channel_agreement.h"
#include "ranks/channels.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

// The channels of a communicator on one host.
struct HostPart {
  ChannelSeries series;
  std::vector<std::size_t> channels{};  // in order

  std::size_t host() const { return series.host; }
};

struct ChannelFamily {
  std::size_t length = 0;  // collectives of each channel
  std::size_t hosts = 0;
  std::size_t most_on_a_host = 0;  // largest number of parts on a host
  std::vector<HostPart> parts{};   // by host
};

// Families on many hosts with few parts on each come first: they show most
// about the clocks.
std::vector<ChannelFamily> FindFamilies(const Channels& channels,
                                        const HostClocks& clocks);

}  // namespace rangefinder
