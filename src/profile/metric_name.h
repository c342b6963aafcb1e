// The grammar of a metric's name: unit__quantity.rollup.submetric.
//
// A PerfWorks name tells the hardware unit of a number, how the unit's
// instances were combined, and the divisor. Names that ncu defines itself
// (launch__..., device__..., source counters) have no suffix and are kPlain.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rangefinder {

// How the instances of a hardware unit were combined.
enum class Across : std::uint8_t { kNone, kSum, kAvg, kMin, kMax };

// How the number follows from its quantity.
enum class Form : std::uint8_t {
  kPlain,                 // no suffix: not a PerfWorks name
  kCounter,               // x.sum
  kPeakSustained,         // x.sum.peak_sustained: a property of the chip
  kPeakSustainedActive,   // the peak, times active cycles
  kPeakSustainedElapsed,  // the peak, times elapsed cycles
  kPerSecond,             // x.sum.per_second, also of a peak
  kPerCycleActive,
  kPerCycleElapsed,
  kPctActive,   // x.avg.pct_of_peak_sustained_active
  kPctElapsed,  // x.avg.pct_of_peak_sustained_elapsed
  kRatio,       // x.ratio
  kPct,         // x.pct
  kMaxRate,     // x.max_rate: a property of the chip
  kUnknown,     // an unknown suffix
};

struct MetricName {
  std::string_view group{};     // "TPC.TriageCompute" of PM sampling; or empty
  std::string_view unit{};      // "sm"; empty without "__"
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
