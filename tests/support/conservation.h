// The conservation law of every report: each measurement has one place,
// exclusive values add up to the totals, and exclusive plus inner is inclusive.
// It holds in every scope and in every format.

#pragma once

#include <string>

#include "profile/profile.h"
#include "region/tree.h"
#include "report/report.h"
#include "rollup/rollup.h"

namespace rangefinder::testing {

// Both functions fail the running gtest test once for each place where the law
// is broken.
void ExpectConserved(const Profile& profile, const RegionTree& tree,
                     const Rollup& rollup);

// Checks the documents that are made of the report: JSON, CSV and Markdown.
void ExpectDocumentsConserved(const Report& report);

}  // namespace rangefinder::testing
