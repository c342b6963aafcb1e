// What CUPTI says of a chip's metrics: their names, meaning, and how many
// passes a set of them takes. No GPU is needed, only the chip's name.

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

// A metric without the suffix that says how its instances are combined.
struct BaseMetric {
  std::string name{};  // "dram__bytes_read"
  cupti::MetricType type = cupti::MetricType::kCounter;
};

struct MetricProperties {
  std::string description{};
  std::string hardware_unit{};  // "dram"
  std::string unit{};           // "byte"; empty: none
};

// The chips that this CUPTI knows: "GH100", "AD102" ...
Result<std::vector<std::string>> SupportedChips(const CuptiLibrary& library);

// A base metric with the suffix that is asked for where none was named: .sum of
// a counter, .ratio, or the .avg.pct_of_peak_sustained_elapsed of a throughput.
std::string UsualMetric(const BaseMetric& metric);

class CounterHost {
 public:
  // kUsage where this CUPTI does not know the chip, with the nearest that it
  // does; kProfiler where it knows the chip, and not in this mode.
  static Result<CounterHost> Open(const CuptiLibrary& library,
                                  std::string_view chip, CounterMode mode);

  // All base metrics, in the order of their names. A name with dots before "__"
  // is of a fixed group of counters:
  // "FBSP.TriageCompute.dram__read_throughput".
  const std::vector<BaseMetric>& metrics() const { return metrics_; }
  const BaseMetric* Find(std::string_view base) const;

  // ".sum", ".avg.per_second" ...: each behind the base name is a metric.
  Result<std::vector<std::string>> Suffixes(const BaseMetric& metric) const;
  Result<MetricProperties> Properties(const std::string& metric) const;

  // kUsage for the first that the chip does not have in this mode, with the
  // nearest names that it has, or the mode that does have it.
  Status Check(std::span<const std::string> metrics) const;

  // How often the same work has to run for all of them; metrics are full names
  // ("dram__bytes_read.sum"), at least one. Errors as Check() has them, and
  // kUnsupported where no number of passes has them all: in mode count, metrics
  // of NVLink or PCIe beside others.
  Result<std::size_t> Passes(std::span<const std::string> metrics) const;

  // SetsOfOnePass() by this chip's scheduler. Errors as Check() has them.
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
