// The metrics of a chip, from CUPTI: their names, their meaning, and the number
// of passes of a set of metrics. Needs the chip's name, but no GPU.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "counters/cupti_library.h"

namespace rangefinder {

// ---- Configuration images --------------------------------------------------

// The image by which CUPTI configures a device's counters for some metrics.

struct ConfigImage {
  std::vector<std::uint8_t> bytes{};
  std::size_t passes = 0;  // of all metrics together, at least 1
};

struct ConfigImageRequest {
  cupti::ProfilerType type = cupti::ProfilerType::kRange;
  std::string chip{};                      // "GH100"
  std::span<const std::string> metrics{};  // full names, at least one
  std::span<const std::uint8_t>
      available{};  // of a device; empty: all counters
};

// kUnsupported: no number of passes can measure these metrics in one image
// (NVLink or PCIe with SM in mode count). kProfiler: CUPTI refuses for another
// reason, such as a metric that the chip lacks.
Result<ConfigImage> MakeConfigImage(const CuptiLibrary& library,
                                    const ConfigImageRequest& request);

// ---- Sets of one pass ------------------------------------------------------

// Cuts a list of metrics into sets; one pass can measure a set.

struct MetricSets {
  // Sets of one pass, in the order of the list; a metric is in one set.
  std::vector<std::vector<std::string>> sets{};
  // Metrics that need more than one pass by themselves.
  std::vector<std::string> too_large{};
};

// The number of passes of a set of metrics; after an error, no more sets are
// made.
using PassCount =
    std::function<Result<std::size_t>(std::span<const std::string> metrics)>;

// The hardware unit of a name: "dram" of "dram__bytes_read.sum".
std::string UnitOfMetric(std::string_view name);

// Makes few sets and keeps related metrics together: one set if the whole list
// fits. Otherwise the metrics of one hardware unit are placed together if one
// pass can have them, units with most metrics first, each unit into the first
// set that has room. A metric that is listed twice counts once.
Result<MetricSets> SetsOfOnePass(std::span<const std::string> metrics,
                                 const PassCount& passes);

// Counters are read as samples of the whole device at an interval (PM
// sampling), or as exact counts between two calls (Range Profiler).
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
  std::string unit{};  // "byte"; empty: none
};

// The chips that this CUPTI supports: "GH100", "AD102" ...
Result<std::vector<std::string>> SupportedChips(const CuptiLibrary& library);

// A base metric with its default suffix: .sum of a counter, .ratio of a ratio,
// .avg.pct_of_peak_sustained_elapsed of a throughput.
std::string UsualMetric(const BaseMetric& metric);

class CounterHost {
 public:
  // kUsage, with the known chips: this CUPTI does not know the chip. kProfiler:
  // this CUPTI does not know the chip in this mode.
  static Result<CounterHost> Open(const CuptiLibrary& library,
                                  std::string_view chip, CounterMode mode);

  const std::string& chip() const { return chip_; }
  // All base metrics, in the order of their names. A name with dots before "__"
  // belongs to a fixed group of counters:
  // "FBSP.TriageCompute.dram__read_throughput".
  const std::vector<BaseMetric>& metrics() const { return metrics_; }
  const BaseMetric* Find(std::string_view base) const;

  // ".sum", ".avg.per_second" ...: the base name with one of these is a metric.
  Result<std::vector<std::string>> Suffixes(const BaseMetric& metric) const;
  Result<MetricProperties> Properties(const std::string& metric) const;

  // kUsage for the first metric that the chip lacks in this mode, with similar
  // names that it has, or the mode that has the metric.
  Status Check(std::span<const std::string> metrics) const;

  // The number of passes: how often the same work has to run for all metrics.
  // Metrics are full names ("dram__bytes_read.sum"), at least one. Errors are
  // those of Check(), and kUnsupported: no number of passes covers all of them
  // (in mode count, metrics of NVLink or PCIe with others).
  Result<std::size_t> Passes(std::span<const std::string> metrics) const;

  // SetsOfOnePass() by this chip's scheduler. Errors are those of Check().
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
