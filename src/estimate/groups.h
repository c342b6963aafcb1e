// Which launches are taken to count alike.
//
// One group a region, kernel, shape and mode; where the launches of a group
// last differently by their place in the region's instance, they may be told
// apart by it, a class of places with like durations each. Whether that is
// worth its columns is for the samples to say, not for this file.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/estimate.h"

namespace rangefinder {

struct Grouping {
  std::vector<std::uint32_t> group{};  // by launch; kNoGroup without a length
  std::vector<FitGroup> groups{};      // in the order of first launches
};

// Classes of one group's ordinals, the shortest launches first.
struct GroupSplit {
  std::uint32_t group = 0;
  std::vector<std::vector<std::uint32_t>> ordinals{};  // by class, ascending
};

Grouping GroupCoarsely(std::span<const SampledLaunch> launches);

// Groups whose launches' durations lie in modes that go with their ordinals: no
// two classes nearer than 15 %, nor than twice what their launches scatter.
std::vector<GroupSplit> FindSplits(std::span<const SampledLaunch> launches,
                                   const Grouping& grouping);

// The first class of a split keeps its group's index; the others come last.
Grouping Split(std::span<const SampledLaunch> launches,
               const Grouping& grouping, std::span<const GroupSplit> splits);

}  // namespace rangefinder
