// A profile that is only in memory, with all that its report borrows.

#pragma once

#include <utility>

#include "analysis/analysis.h"
#include "region/tree.h"

namespace rangefinder::testing {

struct Composed {
  explicit Composed(Profile made) : profile(std::move(made)) {
    tree = BuildRegionTree(profile, Selection::Make({}).value(), notes);
    rollup = RollUp(profile, tree, {}, notes);
  }
  // The object must not move from here on.
  Report MakeReport(ReportOptions options = {}) const {
    return Compose(profile, tree, rollup, notes, std::move(options));
  }

  Profile profile;
  Notes notes{};
  RegionTree tree{};
  Rollup rollup{};
};

}  // namespace rangefinder::testing
