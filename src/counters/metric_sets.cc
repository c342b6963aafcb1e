#include "counters/metric_sets.h"

#include <algorithm>
#include <map>

namespace rangefinder {
namespace {

using Names = std::vector<std::string>;

std::string UnitOf(const std::string& metric) {
  const std::size_t end = metric.find("__");
  const std::size_t dot = metric.rfind('.', end);
  const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
  return metric.substr(begin, end == std::string::npos ? end : end - begin);
}

Result<bool> Fits(const Names& metrics, const PassCount& passes) {
  return TRY(passes(metrics)) <= 1;
}

// Adds the metrics to the first set with room; false: there is none.
Result<bool> Place(const Names& metrics, const PassCount& passes,
                   std::vector<Names>& sets) {
  for (Names& set : sets) {
    Names both = set;
    both.insert(both.end(), metrics.begin(), metrics.end());
    if (!TRY(Fits(both, passes))) continue;
    set = std::move(both);
    return true;
  }
  return false;
}

Status PlaceUnit(const Names& metrics, const PassCount& passes,
                 MetricSets& cut) {
  if (TRY(Place(metrics, passes, cut.sets))) return Ok();
  if (TRY(Fits(metrics, passes))) {
    cut.sets.push_back(metrics);
    return Ok();
  }
  // The unit needs several passes, so its metrics are placed one by one.
  for (const std::string& metric : metrics) {
    const Names alone = {metric};
    if (!TRY(Fits(alone, passes))) {
      cut.too_large.push_back(metric);
    } else if (!TRY(Place(alone, passes, cut.sets))) {
      cut.sets.push_back(alone);
    }
  }
  return Ok();
}

}  // namespace

Result<MetricSets> SetsOfOnePass(std::span<const std::string> metrics,
                                 const PassCount& passes) {
  Names all;
  for (const std::string& metric : metrics) {
    if (std::ranges::find(all, metric) == all.end()) all.push_back(metric);
  }
  MetricSets cut;
  if (all.empty()) return cut;
  if (TRY(Fits(all, passes))) {
    cut.sets.push_back(std::move(all));
    return cut;
  }
  std::vector<std::pair<std::string, Names>> units;
  for (const std::string& metric : all) {
    const std::string unit = UnitOf(metric);
    auto known =
        std::ranges::find(units, unit, &std::pair<std::string, Names>::first);
    if (known == units.end())
      known = units.insert(units.end(), {unit, Names{}});
    known->second.push_back(metric);
  }
  std::ranges::stable_sort(units, std::ranges::greater(),
                           [](const auto& unit) { return unit.second.size(); });
  for (const auto& [unit, names] : units) TRY(PlaceUnit(names, passes, cut));
  // Restore the order of the list.
  const auto place = [&](const std::string& metric) {
    return std::ranges::find(all, metric) - all.begin();
  };
  for (Names& set : cut.sets) std::ranges::sort(set, {}, place);
  std::ranges::sort(cut.sets, {},
                    [&](const Names& set) { return place(set.front()); });
  std::ranges::sort(cut.too_large, {}, place);
  return cut;
}

}  // namespace rangefinder
