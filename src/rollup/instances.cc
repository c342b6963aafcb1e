#include "rollup/instances.h"

#include <map>

#include "profile/metric_name.h"
#include "rollup/rule.h"
#include "rollup/tally.h"

namespace rangefinder {
namespace {

// Counts without a suffix are those of the source view.
bool IsCountedPerInstruction(std::string_view metric) {
  return ParseMetricName(metric).form == Form::kPlain &&
         std::holds_alternative<SumRule>(RuleFromName(metric));
}

}  // namespace

std::vector<Instance> MergeInstances(
    const Profile& profile, MetricId metric,
    std::span<const MeasurementId> measurements) {
  const bool add = IsCountedPerInstruction(profile.MetricName(metric));
  std::vector<Instance> listed;
  std::map<std::uint64_t, ExactSum> summed;
  for (const MeasurementId id : measurements) {
    for (const InstanceRef& ref : profile.measurements[Index(id)].instances) {
      if (ref.metric != metric) continue;
      for (const Instance& instance : profile.instance_lists[ref.list]) {
        const auto number = instance.value.number();
        if (add && number) {
          summed[instance.key].Add(*number);
        } else {
          listed.push_back(instance);
        }
      }
    }
  }
  for (const auto& [key, sum] : summed)
    listed.push_back({.key = key, .value = Value::Number(sum.value())});
  return listed;
}

}  // namespace rangefinder
