// The ranks of a profile: the times of each of its processes by region.
//
// Only traces have the times of kernels that this needs; for other captures the
// list is empty.

#pragma once

#include <string_view>

#include "profile/profile.h"
#include "profile/rank_record.h"
#include "region/tree.h"

namespace rangefinder {

// One record per process that launched a kernel or opened a range. A profile of
// a summary has records already, which are returned.
Ranks RanksOf(const Profile& profile, const RegionTree& tree);

// "AllReduce" for "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)"; empty for a
// kernel that is no communication. Knows NCCL, NVSHMEM, RCCL, MSCCL and DeepEP.
std::string_view CollectiveKind(std::string_view kernel_name);

}  // namespace rangefinder
