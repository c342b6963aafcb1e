// Which launches ncu is told to measure in kernel replay, one by one.
//
// --kernel-id names a kernel and the numbers of its launches, so any choice of
// launches can be made in one run: the first ones of every region, those of the
// wanted instances. That stands on the program launching the same in every run,
// in the same order; where a trace shows that this is not so (several threads
// or processes, graphs), coarser filters take its place.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/cost.h"
#include "capture/options.h"
#include "profile/profile.h"

namespace rangefinder {

// Whether the launches of `profile` can be told to ncu by number.
bool LaunchesHaveNumbers(const Profile& profile, const NcuOptions& ncu);

// --kernel-id for these launches; nothing where a list becomes too long for a
// command line.
std::optional<std::vector<std::string>> KernelIds(
    std::span<const Launch> launches);

}  // namespace rangefinder
