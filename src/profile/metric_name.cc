#include "profile/metric_name.h"

#include <array>
#include <utility>

namespace rangefinder {
namespace {

using SubmetricForm = std::pair<std::string_view, Form>;

constexpr std::array kForms = {
    SubmetricForm{"", Form::kCounter},
    SubmetricForm{"peak_sustained", Form::kPeakSustained},
    SubmetricForm{"peak_sustained_active", Form::kPeakSustainedActive},
    SubmetricForm{"peak_sustained_active.per_second", Form::kPerSecond},
    SubmetricForm{"peak_sustained_elapsed", Form::kPeakSustainedElapsed},
    SubmetricForm{"peak_sustained_elapsed.per_second", Form::kPerSecond},
    SubmetricForm{"per_second", Form::kPerSecond},
    SubmetricForm{"per_cycle_active", Form::kPerCycleActive},
    SubmetricForm{"per_cycle_elapsed", Form::kPerCycleElapsed},
    SubmetricForm{"pct_of_peak_sustained_active", Form::kPctActive},
    SubmetricForm{"pct_of_peak_sustained_elapsed", Form::kPctElapsed},
};

Across AcrossOf(std::string_view word) {
  if (word == "sum") return Across::kSum;
  if (word == "avg") return Across::kAvg;
  if (word == "min") return Across::kMin;
  if (word == "max") return Across::kMax;
  return Across::kNone;
}

Form FormOf(std::string_view submetric) {
  for (const auto& [name, form] : kForms) {
    if (name == submetric) return form;
  }
  return Form::kUnknown;
}

// Removes "pmsampling:" and "GROUP.TriageX." from the beginning of a name. "__"
// comes after the dot of a group, but not after the dot of a suffix.
std::string_view TakeGroup(std::string_view& name) {
  std::string_view group;
  if (constexpr std::string_view kPrefix = "pmsampling:";
      name.starts_with(kPrefix)) {
    group = name.substr(0, kPrefix.size() - 1);
    name.remove_prefix(kPrefix.size());
  }
  const std::size_t unit_end = name.find("__");
  if (unit_end == std::string_view::npos) return group;
  const std::size_t dot = name.substr(0, unit_end).rfind('.');
  if (dot == std::string_view::npos) return group;
  group = name.substr(0, dot);
  name.remove_prefix(dot + 1);
  return group;
}

}  // namespace

MetricName ParseMetricName(std::string_view name) {
  MetricName parsed;
  parsed.group = TakeGroup(name);
  const std::size_t dot = name.find('.');
  parsed.base = name.substr(0, dot);
  parsed.quantity = parsed.base;
  if (const std::size_t at = parsed.base.find("__");
      at != std::string_view::npos) {
    parsed.unit = parsed.base.substr(0, at);
    parsed.quantity = parsed.base.substr(at + 2);
  }
  if (dot == std::string_view::npos) return parsed;
  parsed.suffix = name.substr(dot + 1);
  if (parsed.suffix == "ratio") {
    parsed.form = Form::kRatio;
  } else if (parsed.suffix == "pct") {
    parsed.form = Form::kPct;
  } else if (parsed.suffix == "max_rate") {
    parsed.form = Form::kMaxRate;
  } else {
    const std::size_t end = parsed.suffix.find('.');
    parsed.across = AcrossOf(parsed.suffix.substr(0, end));
    parsed.form = parsed.across == Across::kNone ? Form::kUnknown
                  : end == std::string_view::npos
                      ? Form::kCounter
                      : FormOf(parsed.suffix.substr(end + 1));
  }
  return parsed;
}

}  // namespace rangefinder
