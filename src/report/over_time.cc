#include "report/over_time.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/counter_estimates.h"

namespace rangefinder {
namespace {

bool IsOf(const Scope& scope, const CounterSamples& samples) {
  return scope.aggregate ||
         (scope.process == samples.process && scope.device == samples.device);
}

std::string_view UnitOf(const Report& report, std::string_view metric) {
  const auto& columns = report.rollup->columns;
  const auto column = std::ranges::find(columns, metric, &Column::name);
  return column == columns.end() ? std::string_view() : column->unit;
}

}  // namespace

std::vector<const CountsOverTime*> FollowedIn(const Report& report,
                                              const Scope& scope, RegionId id) {
  std::vector<const CountsOverTime*> found;
  if (!report.options.estimates) return found;
  const CounterEstimates& estimates = *report.options.estimates;
  for (const CountsOverTime& one : estimates.over_time()) {
    if (one.region == id &&
        IsOf(scope, *estimates.devices()[one.device].samples))
      found.push_back(&one);
  }
  return found;
}

std::vector<CounterTrend> TrendsOf(const Report& report, const Scope& scope,
                                   RegionId id) {
  std::vector<CounterTrend> trends;
  for (const CountsOverTime* one : FollowedIn(report, scope, id)) {
    const SampledDevice& device =
        report.options.estimates->devices()[one->device];
    for (std::size_t m = 0; m < device.metrics.size(); ++m) {
      const auto trend = TrendOf(one->blocks, m);
      if (!trend) continue;
      trends.push_back({.metric = device.metrics[m],
                        .unit = std::string(UnitOf(report, device.metrics[m])),
                        .first = trend->first,
                        .last = trend->last});
    }
  }
  return trends;
}

}  // namespace rangefinder
