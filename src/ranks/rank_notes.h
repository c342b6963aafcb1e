// What is missing of a job's ranks, in sentences: nothing is left out in
// silence.

#pragma once

#include <string>
#include <vector>

#include "ranks/channels.h"
#include "ranks/communicators.h"
#include "ranks/host_clocks.h"

namespace rangefinder {

std::vector<std::string> RankNotes(
    const Ranks& ranks, const Channels& channels, const HostClocks& clocks,
    const std::vector<Communicator>& communicators);

}  // namespace rangefinder
