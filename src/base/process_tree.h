// Who belongs to a process: its group and its descendants, as /proc has them.

#pragma once

#include <vector>

#include <sys/types.h>

namespace rangefinder {

// The living processes of the group `leader` leads and all its descendants,
// also those that have left the group; without `leader` itself.
std::vector<pid_t> ProcessesUnder(pid_t leader);

}  // namespace rangefinder
