// What each process of a profile did, taken apart by process: its kernels with
// their places in the tree of regions, its copies, and what a trace knows of
// its regions beyond them.

#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"

namespace rangefinder {

struct PlacedKernel {
  const Measurement* kernel = nullptr;
  RegionId region{};  // that it was launched in, and in no inner one
};

struct PlacedVisits {
  const RangeVisits* visits = nullptr;
  RegionId region{};
};

struct PlacedUse {
  const RegionUse* use = nullptr;
  RegionId region{};
};

struct ProcessActivities {
  ProcessId process{};
  std::vector<PlacedKernel> kernels{};        // by start, with their times
  std::vector<const CopyActivity*> copies{};  // likewise
  std::vector<PlacedVisits> visits{};
  std::vector<PlacedUse> uses{};

  bool empty() const { return kernels.empty() && visits.empty(); }
};

// By ProcessId; of further runs of the program (Process::run) nothing is said.
// Kernels that regions.kernels leaves out are there: the GPU was busy.
std::vector<ProcessActivities> ActivitiesOf(const Profile& profile,
                                            const RegionTree& tree);

}  // namespace rangefinder
