// Facts about metrics that no report file has: their units, and the inputs of
// ratios and throughputs, for every chip.
//
// The table is generated from NVIDIA's metrics evaluator (tools/metric_facts)
// and embedded in the binary, so that a report needs no NVIDIA library. Metrics
// that ncu defines itself (launch__, device__ ...) are in a table made by hand.
// See docs/rollup.md.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/metric_name.h"
#include "profile/profile.h"

namespace rangefinder {

enum class MetricKind : std::uint8_t {
  kCounter,
  kRatio,
  kThroughput,
  kOther,  // not computed from hardware counters
};

struct MetricFacts {
  MetricKind kind = MetricKind::kOther;
  std::string unit{};  // base unit as ncu prints it: "byte", "%", "hz"; or none
  // Ratios: the divided counters, without suffix; empty: unknown.
  std::string over{};
  std::string under{};
  // Throughputs: the counters and throughputs whose largest this metric is,
  // without suffix.
  std::vector<std::string> inputs{};
};

// The facts of the metric with this full name; for an unknown chip, those of
// any chip that has the metric; nothing if no chip has it.
std::optional<MetricFacts> FindMetricFacts(std::string_view chip,
                                           std::string_view metric);

// The base unit; empty if there is none or it is unknown.
std::string MetricUnit(std::string_view chip, std::string_view metric);

// Whether `chip` can count `base` (a name without suffix).
bool ChipHasMetric(std::string_view chip, std::string_view base);

// A chip of this compute capability; all of them have the same counters. "":
// unknown.
std::string_view ChipOfCapability(int major, int minor);

// The chip of a device: as recorded, or from its compute capability, which ncu
// writes into the device's attributes or among the metrics. "": unknown.
std::string ChipOf(const Profile& profile, std::int32_t device);
// The chip of the first device whose chip is known.
std::string ChipOf(const Profile& profile);

// The unit of a submetric of a counter with this unit, where cycles may be a
// factor: "warp*cycle" per cycle is "warp", "byte" per second is "byte/s".
std::string UnitOfForm(std::string_view unit, Form form);

// The meaning of the counter of `metric` ("dram__bytes_read.sum"), as a
// sentence without its full stop. Empty for counters that no preset samples.
std::string CounterDoc(std::string_view metric);

// How samples of a counter are plotted over time: a count as a rate, so that
// samples of unequal length are comparable.
struct SampleScale {
  std::string unit{};       // "byte/s" "%"; empty: a plain number
  bool per_second = false;  // the value is divided by the sample's seconds
  double factor = 1;
};

// Counters ("x.sum", "x.avg") are shown per second; active cycles, a mean over
// the SMs, as a share of the clock's cycles; ratios unchanged. `clock_hz`: the
// highest clock of the SMs; 0: unknown.
SampleScale ScaleOfSamples(std::string_view chip, std::string_view metric,
                           double clock_hz);

// The value of a sample that is `ns` long; NaN without length.
double OnScale(const SampleScale& scale, double value, std::uint64_t ns);

// "multiprocessor_count", "clock_rate" ...: as CUDA names it, in its unit; 0:
// unknown.
double DeviceAttribute(const Profile& profile, const Device& device,
                       std::string_view attribute);
double DeviceAttribute(const Profile& profile, std::int32_t device,
                       std::string_view attribute);

// The highest clock of a device's SMs in Hz; 0: unknown.
double HighestClock(const Profile& profile, std::int32_t device);

}  // namespace rangefinder
