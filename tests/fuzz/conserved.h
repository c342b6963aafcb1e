// The conservation law for any input: each measurement has one place, exclusive
// plus inner is inclusive, and exclusive values add up to the totals. Unlike
// tests/support/conservation.h it answers yes or no, and allows numbers that no
// program would produce.

#pragma once

#include <nlohmann/json.hpp>

#include "profile/profile.h"
#include "region/tree.h"
#include "rollup/rollup.h"

namespace rangefinder::testing {

void DemandConserved(const Profile& profile, const RegionTree& tree,
                     const Rollup& rollup);

// Checks the same in a report.json.
void DemandConserved(const nlohmann::json& document);

}  // namespace rangefinder::testing
