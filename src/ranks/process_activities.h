// The activities of a profile by process: kernels with their regions, copies,
// and the times of regions from a trace.

#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "region/tree.h"

namespace rangefinder {

struct PlacedKernel {
  const Measurement* kernel = nullptr;
  RegionId region{};  // the innermost region of its launch
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
  std::vector<PlacedKernel> kernels{};        // with times, by start
  std::vector<const CopyActivity*> copies{};  // by start
  std::vector<PlacedVisits> visits{};
  std::vector<PlacedUse> uses{};

  bool empty() const { return kernels.empty() && visits.empty(); }
};

// By ProcessId. Further runs of the program (Process::run) have no activities.
// Kernels that regions.kernels leaves out are included: they kept the GPU busy.
std::vector<ProcessActivities> ActivitiesOf(const Profile& profile,
                                            const RegionTree& tree);

}  // namespace rangefinder
