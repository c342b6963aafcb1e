// Ranks whose trace was cut, or lost something: their channels are shorter than
// the others' of their communicator, and are put where the ends say.

#pragma once

#include <vector>

#include "ranks/channels.h"
#include "ranks/communicators.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

// Joins communicators that are the beginning of another, and single channels
// that are any part of one.
std::vector<Communicator> JoinIncomplete(const Channels& channels,
                                         std::vector<Communicator> found,
                                         HostClocks& clocks);

}  // namespace rangefinder
