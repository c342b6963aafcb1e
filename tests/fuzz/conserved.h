// The law of conservation for any input: each measurement has one place, own
// and inner add up to inclusive, exclusive ones to the totals. What
// tests/support/conservation.h tells a test at length, as yes or no, and with
// numbers that a program would not make.

#pragma once

#include <nlohmann/json.hpp>

#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder::testing {

void DemandConserved(const Profile& profile, const RegionTree& tree,
                     const Rollup& rollup);

// The same by what report.json says.
void DemandConserved(const nlohmann::json& document);

}  // namespace rangefinder::testing
