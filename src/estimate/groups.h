// Which launches are taken to count alike.
//
// One group a region, kernel, shape and mode; where the launches of a group
// last differently, by their place in the region's instance or from one
// instance to the next, they may be told apart by it, a class of places and
// modes of durations with like durations each. Whether that is worth its
// columns is for the samples to say, not for this file.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "estimate/estimate.h"

namespace rangefinder {

struct Grouping {
  std::vector<std::uint32_t> group{};  // by launch; kNoGroup without a length
  std::vector<FitGroup> groups{};      // in the order of first launches
};

// Classes of one group's launches, the shortest first.
struct GroupSplit {
  std::uint32_t group = 0;
  std::vector<std::vector<LaunchKind>> classes{};  // of kinds, ascending
  // By ordinal that has modes: from which duration on each but the first is,
  // ascending, in ns.
  std::map<std::uint32_t, std::vector<double>> modes{};
};

Grouping GroupCoarsely(std::span<const SampledLaunch> launches);

// Groups of whose launches classes last differently: no two of them nearer than
// 15 %, nor than twice what their launches scatter. Where the launches of one
// place scatter by more than that they are cut into modes, where the scatter
// within two of them is least (N. Otsu, A threshold selection method from
// gray-level histograms, IEEE Transactions on Systems, Man, and Cybernetics 9
// (1979)). The groups that are busy longest, where there are many.
std::vector<GroupSplit> FindSplits(std::span<const SampledLaunch> launches,
                                   const Grouping& grouping);

// The first class of a split keeps its group's index; the others come last.
Grouping Split(std::span<const SampledLaunch> launches,
               const Grouping& grouping, std::span<const GroupSplit> splits);

}  // namespace rangefinder
