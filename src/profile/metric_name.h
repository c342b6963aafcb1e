// The grammar of a metric's name: unit__quantity.rollup.submetric.
//
// PerfWorks names say how a number was made: of which hardware unit, how its
// instances were combined, and what it was divided by. Names of other providers
// (launch__..., device__..., source counters) have no suffix and are kPlain.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// How the instances of a hardware unit were combined into the number.
enum class Across : std::uint8_t { kNone, kSum, kAvg, kMin, kMax };

// What the number is of its quantity.
enum class Form : std::uint8_t {
  kPlain,                 // no suffix: not a PerfWorks name
  kCounter,               // x.sum
  kPeakSustained,         // x.sum.peak_sustained: a property of the chip
  kPeakSustainedActive,   // that, times active cycles
  kPeakSustainedElapsed,  // that, times elapsed cycles
  kPerSecond,             // x.sum.per_second, also of a peak
  kPerCycleActive,
  kPerCycleElapsed,
  kPctActive,   // x.avg.pct_of_peak_sustained_active
  kPctElapsed,  // x.avg.pct_of_peak_sustained_elapsed
  kRatio,       // x.ratio
  kPct,         // x.pct
  kMaxRate,     // x.max_rate: a property of the chip
  kUnknown,     // suffixes that this grammar does not have
};

struct MetricName {
  std::string_view group{};     // "TPC.TriageCompute" of PM sampling; or empty
  std::string_view unit{};      // "sm"; empty when there is no "__"
  std::string_view quantity{};  // "inst_executed"
  std::string_view base{};      // "sm__inst_executed": what CUPTI lists
  std::string_view suffix{};    // "avg.pct_of_peak_sustained_elapsed"
  Across across = Across::kNone;
  Form form = Form::kPlain;
};

// The parts point into `name`.
MetricName ParseMetricName(std::string_view name);

// Whether the number was sampled over time rather than counted.
inline bool IsSampled(const MetricName& name) {
  return !name.group.empty();
}

}  // namespace rangefinder
