// What is known of metrics without having measured them: units, and what ratios
// and throughputs are made of, for every chip.
//
// Reports hold none of it. The table was generated from NVIDIA's metrics
// evaluator (tools/metric_facts) and travels in the binary, so a report needs
// no NVIDIA library. Metrics of ncu's own (launch__, device__ ...) are a table
// by hand. See docs/rollup.md.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace rangefinder {

enum class MetricKind : std::uint8_t {
  kCounter,
  kRatio,
  kThroughput,
  kOther,  // of another provider than the hardware counters
};

struct MetricFacts {
  MetricKind kind = MetricKind::kOther;
  std::string unit{};  // base unit as ncu prints it: "byte", "%", "hz"; or none
  // Ratios: the counters that are divided, without suffix; empty: not known.
  std::string over{};
  std::string under{};
  // Throughputs: counters and throughputs it is the largest of, without suffix.
  std::vector<std::string> inputs{};
};

// The facts of a metric, given by its full name. With an unknown chip, those of
// any chip that has the metric; nothing when no chip has it.
std::optional<MetricFacts> FindMetricFacts(std::string_view chip,
                                           std::string_view metric);

// The base unit alone; empty when there is none or it is not known.
std::string MetricUnit(std::string_view chip, std::string_view metric);

// Whether `chip` counts `base` (a name without suffix).
bool ChipHasMetric(std::string_view chip, std::string_view base);

// The chips of the table: "GV100", "TU102" ...
std::vector<std::string> KnownChips();

// A chip of this compute capability that counts like all of them; "" when it is
// not known.
std::string_view ChipOfCapability(int major, int minor);

// The chip of a device: as recorded, or from its compute capability, which ncu
// leaves in the device's attributes or among the metrics. "" when unknown.
std::string ChipOf(const Profile& profile, std::int32_t device);
// Of the first device for which it is known.
std::string ChipOf(const Profile& profile);

}  // namespace rangefinder
