#include "sampling/count_check.h"

#include <cmath>

namespace rangefinder {
namespace {

constexpr double kTwoSided95 = 1.959964;  // standard normal

// The values of a region's counted instances.
std::vector<double> CountedValues(const Profile& profile,
                                  const RegionRollup& region, MetricId metric) {
  std::vector<double> values;
  for (const WholeRow& row : region.measured) {
    if (row.mode != ReplayMode::kCounters) continue;
    const Measurement& m = profile.measurements[Index(row.measurement)];
    bool listed = false;
    for (const InstanceRef& ref : m.instances) {
      if (ref.metric != metric) continue;
      listed = true;
      for (const Instance& instance : profile.instance_lists[ref.list]) {
        if (const auto value = instance.value.number())
          values.push_back(*value);
      }
    }
    const auto mean = profile.ValueOf(m, metric).number();
    if (!listed && mean) values.push_back(*mean);
  }
  return values;
}

std::uint64_t InstancesOf(const Profile& profile, const Region& region) {
  std::uint64_t instances = 0;
  for (const std::uint32_t row : region.visits)
    instances += profile.visits[row].instances;
  return instances;
}

CountCheck Compare(const Cell& cell, std::uint64_t instances,
                   const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const auto of = static_cast<double>(instances);
  CountCheck check{.estimate = cell.value / of,
                   .estimate_error = double{cell.error} / of,
                   .instances = instances,
                   .counted = values.size()};
  for (const double value : values) check.exact += value;
  check.exact /= n;
  double squares = 0;
  for (const double value : values)
    squares += (value - check.exact) * (value - check.exact);
  if (values.size() > 1) check.exact_error = std::sqrt(squares / (n - 1) / n);
  const double error = std::hypot(check.estimate_error, check.exact_error);
  check.agrees = std::abs(check.estimate - check.exact) <= kTwoSided95 * error;
  return check;
}

}  // namespace

std::vector<CountCheck> CheckCounts(const Profile& profile,
                                    const RegionTree& tree,
                                    const Rollup& rollup) {
  std::vector<CountCheck> checks;
  if (rollup.scopes.empty()) return checks;
  const ScopeRollup& scope = rollup.scopes.front();
  for (std::size_t i = 0; i < scope.regions.size(); ++i) {
    const RegionRollup& region = scope.regions[i];
    if (region.measured.empty()) continue;
    const auto id = static_cast<RegionId>(i);
    const std::uint64_t instances = InstancesOf(profile, tree[id]);
    const Cells& cells = region.inclusive.cells;
    for (std::size_t c = 0; c < cells.size() && instances > 0; ++c) {
      if (cells[c].how != How::kEstimated) continue;
      const std::vector<double> values =
          CountedValues(profile, region, rollup.columns[c].metric);
      if (values.empty()) continue;
      checks.push_back(Compare(cells[c], instances, values));
      checks.back().region = id;
      checks.back().column = c;
    }
  }
  return checks;
}

}  // namespace rangefinder
