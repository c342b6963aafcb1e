// The regions of a profile as the capture room plans with them.

#pragma once

#include <vector>

#include "base/error.h"
#include "capture/plan.h"
#include "plan/settings.h"
#include "profile/profile.h"

namespace rangefinder {

// Every region that `profile` saw, parents before children; wanted are those
// that the patterns of ncu_cli.nvtx.include mean, all where there are none.
// kUsage for a pattern that is none.
Result<std::vector<RegionToMeasure>> PlannableRegions(const Profile& profile,
                                                      const NcuSettings& ncu);

}  // namespace rangefinder
