#include "sampling/count_check.h"

#include <algorithm>
#include <cmath>

namespace rangefinder {
namespace {

constexpr double kTwoSided95 = 1.959964;  // standard normal

bool IsCounted(const Measurement& m) {
  return m.mode == ReplayMode::kCounters;
}

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

CountCheck Compare(double total, double error, std::uint64_t instances,
                   const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const auto of = static_cast<double>(instances);
  CountCheck check{.estimate = total / of,
                   .estimate_error = error / of,
                   .instances = instances,
                   .counted = values.size()};
  for (const double value : values) check.exact += value;
  check.exact /= n;
  double squares = 0;
  for (const double value : values)
    squares += (value - check.exact) * (value - check.exact);
  if (values.size() > 1) check.exact_error = std::sqrt(squares / (n - 1) / n);
  check.agrees =
      std::abs(check.estimate - check.exact) <=
      kTwoSided95 * std::hypot(check.estimate_error, check.exact_error);
  return check;
}

}  // namespace

std::vector<CountCheck> CheckCounts(const Profile& profile,
                                    const RegionTree& tree,
                                    const Rollup& rollup,
                                    const CounterEstimates* estimates) {
  std::vector<CountCheck> checks;
  if (rollup.scopes.empty() || estimates == nullptr ||
      std::ranges::none_of(profile.measurements, IsCounted))
    return checks;
  const ScopeRollup& scope = rollup.scopes.front();
  const std::vector<std::string>& metrics = estimates->metrics();
  std::vector<std::size_t> metric_of;  // by column; metrics.size(): none
  for (const Column& column : rollup.columns)
    metric_of.push_back(static_cast<std::size_t>(
        std::ranges::find(metrics, column.name) - metrics.begin()));
  const auto with_copies = estimates->EstimateCopies(true);
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
      double total = cells[c].value, error = double{cells[c].error};
      if (!with_copies[i].empty() && metric_of[c] < metrics.size()) {
        const CounterEstimate& all = with_copies[i][metric_of[c]];
        if (!all.total) continue;
        total = *all.total;
        error = all.error;
      }
      checks.push_back(Compare(total, error, instances, values));
      checks.back().region = id;
      checks.back().column = c;
    }
  }
  return checks;
}

}  // namespace rangefinder
