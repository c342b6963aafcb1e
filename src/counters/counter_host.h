// CUPTI's knowledge of a chip's metrics: names, descriptions, and the passes of
// a set of metrics. It needs the chip's name, and no GPU.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "counters/cupti_library.h"
#include "counters/metric_sets.h"

namespace rangefinder {

// How counters are read: samples of the whole device at an interval (PM
// sampling), or exact counts between two calls (Range Profiler).
enum class CounterMode { kSample, kCount };

// "sample", "count"
std::string_view NameOf(CounterMode mode);

// A metric without the suffix that names how its instances are combined.
struct BaseMetric {
  std::string name{};  // "dram__bytes_read"
  cupti::MetricType type = cupti::MetricType::kCounter;
};

struct MetricProperties {
  std::string description{};
  std::string hardware_unit{};  // "dram"
  std::string unit{};           // "byte"; empty: none
};

// The chips that this CUPTI supports: "GH100", "AD102" ...
Result<std::vector<std::string>> SupportedChips(const CuptiLibrary& library);

// A base metric with its default suffix: .sum for a counter, .ratio, or
// .avg.pct_of_peak_sustained_elapsed for a throughput.
std::string UsualMetric(const BaseMetric& metric);

class CounterHost {
 public:
  // kUsage, with a similar name, if this CUPTI does not support the chip;
  // kProfiler if it does not support the chip in this mode.
  static Result<CounterHost> Open(const CuptiLibrary& library,
                                  std::string_view chip, CounterMode mode);

  // All base metrics, sorted by name. A name with dots before "__" belongs to a
  // fixed group of counters: "FBSP.TriageCompute.dram__read_throughput".
  const std::vector<BaseMetric>& metrics() const { return metrics_; }
  const BaseMetric* Find(std::string_view base) const;

  // ".sum", ".avg.per_second" ...: the base name with each of them is a metric.
  Result<std::vector<std::string>> Suffixes(const BaseMetric& metric) const;
  Result<MetricProperties> Properties(const std::string& metric) const;

  // kUsage for the first metric that the chip lacks in this mode, with similar
  // names, or with the mode that has the metric.
  Status Check(std::span<const std::string> metrics) const;

  // The passes of all `metrics` together: full names ("dram__bytes_read.sum"),
  // at least one. Errors of Check(), and kUnsupported if no number of passes is
  // enough: in mode count, metrics of NVLink or PCIe together with others.
  Result<std::size_t> Passes(std::span<const std::string> metrics) const;

  // SetsOfOnePass() with this chip's passes. Errors of Check().
  Result<MetricSets> OnePassSets(std::span<const std::string> metrics) const;

 private:
  CounterHost(const CuptiLibrary& library, std::string_view chip,
              CounterMode mode)
      : library_(library), chip_(chip), mode_(mode) {}

  cupti::ProfilerType type() const;
  Status ReadMetrics();
  Error UnknownMetric(const std::string& metric, const std::string& base) const;

  CuptiLibrary library_;
  std::string chip_;
  CounterMode mode_;
  std::shared_ptr<void> host_{};
  std::vector<BaseMetric> metrics_{};
};

}  // namespace rangefinder
