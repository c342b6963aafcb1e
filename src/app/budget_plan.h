// The launches of a profile as the capture room counts their cost.

#pragma once

#include <vector>

#include "capture/cost.h"
#include "profile/profile.h"

namespace rangefinder {

// Every kernel of `profile` in file order, with its time: what a discovery run
// or a trace measured, or 0 where neither did.
std::vector<Launch> LaunchesOf(const Profile& profile);

}  // namespace rangefinder
