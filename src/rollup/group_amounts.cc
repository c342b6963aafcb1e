#include "rollup/group_amounts.h"

#include <algorithm>

#include "rollup/plan.h"
#include "rollup/tally.h"

namespace rangefinder {

std::vector<Amounts> AmountsOf(
    const Profile& profile, std::span<const std::vector<MeasurementId>> groups,
    const RollupOptions& options, std::span<const Column> columns) {
  const Plan plan(profile, options);
  const bool same = std::ranges::equal(plan.columns(), columns, {},
                                       &Column::name, &Column::name);
  std::vector<Amounts> all;
  Row row(profile, plan);
  Tally tally(plan);
  for (const std::vector<MeasurementId>& group : groups) {
    tally.Clear();
    for (const MeasurementId id : group) {
      row.Load(profile.measurements[Index(id)]);
      tally.Add(plan, row);
    }
    all.push_back(tally.Finish(plan));
    if (!same) all.back().cells = {};
  }
  return all;
}

}  // namespace rangefinder
