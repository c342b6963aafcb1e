// The regions of a profile as the capture room plans with them.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "capture/plan.h"
#include "profile/profile.h"
#include "region/path.h"

namespace rangefinder {

// Every region that `profile` saw, parents before children; wanted are those
// that the patterns of ncu_cli.nvtx.include mean, all where there are none.
// kUsage for a pattern that is none.
Result<std::vector<RegionToMeasure>> PlannableRegions(const Profile& profile,
                                                      const NcuSettings& ncu);

// A region's name in plans, manifests and notes: "A/LLM@attn".
std::string RegionLabel(const Profile& profile, std::span<const Frame> path);

}  // namespace rangefinder
