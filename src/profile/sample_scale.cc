#include "profile/sample_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "profile/metric_facts.h"
#include "profile/metric_name.h"
#include "profile/metric_units.h"

namespace rangefinder {

SampleScale ScaleOfSamples(std::string_view chip, std::string_view metric,
                           double clock_hz) {
  const MetricName name = ParseMetricName(metric);
  std::string unit = MetricUnit(chip, metric);
  if (name.form != Form::kCounter) return {.unit = std::move(unit)};
  const bool of_sms = name.unit == "sm" || name.unit == "smsp";
  if (of_sms && name.across == Across::kAvg && unit == "cycle" && clock_hz > 0)
    return {.unit = "%", .per_second = true, .factor = 100 / clock_hz};
  return {.unit = UnitOfForm(unit, Form::kPerSecond), .per_second = true};
}

double OnScale(const SampleScale& scale, double value, std::uint64_t ns) {
  if (!scale.per_second) return value * scale.factor;
  if (ns == 0) return std::numeric_limits<double>::quiet_NaN();
  return value * scale.factor * 1e9 / static_cast<double>(ns);
}

double HighestClock(const Profile& profile, std::int32_t device) {
  const auto known = std::ranges::find(profile.devices, device, &Device::index);
  if (known == profile.devices.end()) return 0;
  for (const auto& [name, value] : known->attributes) {
    if (profile.Name(name) == "device__attribute_clock_rate")
      return 1000 * value.number().value_or(0);  // given in kHz
  }
  return 0;
}

}  // namespace rangefinder
