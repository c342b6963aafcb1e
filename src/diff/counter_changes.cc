#include "diff/counter_changes.h"

#include <cmath>
#include <map>

namespace rangefinder {
namespace {

struct Values {
  std::vector<double> values{};
  std::optional<double> error{};  // of the median, from those of the runs
  bool exact = true;
};

std::map<std::string, Values> ValuesOf(const Side& side, std::size_t region) {
  std::map<std::string, Values> all;
  for (const RegionFacts* facts : side[region].runs) {
    if (facts == nullptr) continue;
    for (const auto& [metric, counter] : facts->counters) {
      Values& values = all[metric];
      values.values.push_back(counter.value);
      values.exact = values.exact && counter.exact;
      if (counter.error)
        values.error = std::max(values.error.value_or(0), *counter.error);
    }
  }
  return all;
}

std::string UnitOf(const Side& side, const std::string& metric) {
  for (const RunFacts& run : side.runs())
    if (const auto unit = run.units.find(metric); unit != run.units.end())
      return unit->second;
  return "";
}

}  // namespace

std::vector<CounterChange> CounterChanges(const Side& base, std::size_t old,
                                          const Side& other, std::size_t fresh,
                                          double tolerance) {
  const auto before = ValuesOf(base, old);
  const auto after = ValuesOf(other, fresh);
  std::vector<CounterChange> changes;
  for (const auto& [metric, values] : before) {
    const auto now = after.find(metric);
    if (now == after.end()) continue;
    CounterChange change{.metric = metric,
                         .unit = UnitOf(base, metric),
                         .base = MedianOf(values.values),
                         .other = MedianOf(now->second.values),
                         .base_error = values.error,
                         .other_error = now->second.error,
                         .exact = values.exact && now->second.exact};
    const double apart = std::abs(change.other - change.base);
    change.ratio = change.base != 0 ? change.other / change.base
                   : apart == 0     ? 1
                                    : HUGE_VAL;
    const double error = std::hypot(change.base_error.value_or(0),
                                    change.other_error.value_or(0));
    change.changed =
        apart > 1.96 * error && apart > tolerance * std::abs(change.base);
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace rangefinder
