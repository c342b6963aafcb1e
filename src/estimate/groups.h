// Groups: launches that are assumed to count alike.
//
// There is one group per region, kernel, shape and mode. Where the launches of
// a group last differently, by their place in the region's instance or from one
// instance to the next, the group may be split into classes of places and modes
// with like durations. The samples decide whether a split is worth its columns
// (splits.h), except for splits by length.

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
  // By ordinal with modes: the shortest duration of each mode but the first,
  // ascending, in ns.
  std::map<std::uint32_t, std::vector<double>> modes{};
};

Grouping GroupCoarsely(std::span<const SampledLaunch> launches);

// Splits groups of up to 100 launches, none of whose places repeats eight times
// or more, where a launch of 10 us or more lasts 1.5 times as long as the next
// shorter one. Samples cannot test these splits, but such launches are rarely
// alike: a program's beginning launches one kernel for data of all sizes.
Grouping SplitByLength(std::span<const SampledLaunch> launches,
                       const Grouping& grouping);

// Groups with classes of launches that last differently: the classes' durations
// are at least 15 % and twice their launches' scatter apart. Where the launches
// of one place scatter by more than that, they are cut into modes, at the
// durations where the scatter within the modes is least (N. Otsu, A threshold
// selection method from gray-level histograms, IEEE Transactions on Systems,
// Man, and Cybernetics 9 (1979)), if each has 2 % of the launches. Of very many
// groups, the busiest.
std::vector<GroupSplit> FindSplits(std::span<const SampledLaunch> launches,
                                   const Grouping& grouping);

// The first class of a split keeps its group's index; the others come last.
Grouping Split(std::span<const SampledLaunch> launches,
               const Grouping& grouping, std::span<const GroupSplit> splits);

}  // namespace rangefinder
