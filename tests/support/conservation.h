// The law that every report keeps: each measurement has one place, exclusive
// values add up to the totals, own + inner = inclusive. In every scope, and in
// every format that is written.

#pragma once

#include <string>

#include "profile/profile.h"
#include "region/tree.h"
#include "report/report.h"
#include "rollup/rollup.h"

namespace rangefinder::testing {

// Each fails the running gtest test, once for each place where the law is
// broken.
void ExpectConserved(const Profile& profile, const RegionTree& tree,
                     const Rollup& rollup);

// The same of the documents that are made of it: JSON, CSV and Markdown.
void ExpectDocumentsConserved(const Report& report);

}  // namespace rangefinder::testing
