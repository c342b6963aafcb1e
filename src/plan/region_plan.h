// The regions of a profile for the planning of captures.

#pragma once

#include <vector>

#include "base/error.h"
#include "capture/plan.h"
#include "plan/settings.h"
#include "profile/profile.h"

namespace rangefinder {

// Every region of `profile`, parents before children. The patterns of
// ncu_cli.nvtx.include select the wanted regions; without patterns all are
// wanted. kUsage for a pattern with an error.
Result<std::vector<RegionToMeasure>> PlannableRegions(const Profile& profile,
                                                      const NcuSettings& ncu);

}  // namespace rangefinder
