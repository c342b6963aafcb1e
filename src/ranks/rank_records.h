// The ranks of a profile: what each of its processes did, region by region.
//
// Needs kernels with their times, so of traces alone; of other captures the
// list is empty.

#pragma once

#include <string_view>

#include "profile/profile.h"
#include "profile/rank_record.h"
#include "region/tree.h"

namespace rangefinder {

// One record a process that launched a kernel or opened a range. Of a profile
// that has records already (a summary's), those.
Ranks RanksOf(const Profile& profile, const RegionTree& tree);

// "AllReduce" of "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)"; empty where the
// kernel is no communication. Knows NCCL, NVSHMEM, RCCL, MSCCL and DeepEP.
std::string_view CollectiveKind(std::string_view kernel_name);

}  // namespace rangefinder
