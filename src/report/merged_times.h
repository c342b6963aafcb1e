// Times of a region that several rows of a trace tell of, as where its ranges,
// or those around it, differ by a counter (region/merge.h).

#pragma once

#include <vector>

#include "profile/region_times.h"
#include "report/times.h"

namespace rangefinder {

// Adds counts and summed durations; not streams, and not when it was.
void AddCounts(GpuUse& sum, const GpuUse& use);

// What the calls of one process did on one device, as if they had been made in
// one region: first start to last end; busy is exact where the rows do not
// overlap in time, and where they do, as much as it can be at most.
GpuUse Together(std::vector<const GpuUse*> uses);

// Numbers the instances of `list` anew: by start, over all rows of a thread.
void NumberInstances(const Profile& profile, const Region& region,
                     std::vector<PlacedInstance>& list);

}  // namespace rangefinder
