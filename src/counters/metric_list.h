// The metrics that a chip offers, for `rangefinder counters`: the metrics that
// match patterns, and the passes of each metric.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "counters/counter_host.h"

namespace rangefinder {

// One metric: a base name, or a full name if the pattern has a suffix.
struct ListedMetric {
  std::string name{};
  cupti::MetricType type = cupti::MetricType::kCounter;
  bool in_sample = false;  // whether the mode offers it
  bool in_count = false;
  // Passes in each mode; of UsualMetric() if `name` is a base name. Absent if
  // the mode lacks the metric, or passes were not requested.
  std::optional<std::size_t> sample{};
  std::optional<std::size_t> count{};
  MetricProperties properties{};
  std::vector<std::string> suffixes{};  // of a base name
};

struct CounterList {
  std::string chip{};
  std::string device{};                 // "NVIDIA H200"; empty: none was asked
  std::uint32_t cupti = 0;              // its version, as CuptiLibrary has it
  std::vector<ListedMetric> metrics{};  // in the order of their names
  std::vector<std::string> hints{};     // as of HintsOf()
  // Passes of all metrics together, if all have full names and there are not
  // too many; absent also if a mode cannot measure the metrics together.
  std::optional<std::size_t> sample_together{};
  std::optional<std::size_t> count_together{};
};

// The hosts of one chip; null for a mode that the chip lacks.
struct ChipHosts {
  const CounterHost* sample = nullptr;
  const CounterHost* count = nullptr;
};

// Called with metrics done and to do.
using ListProgress = std::function<void(std::size_t done, std::size_t all)>;

// All base metrics, without passes, which would take CUPTI a minute.
Result<std::vector<ListedMetric>> AllMetrics(const ChipHosts& hosts);

// The metrics that match a pattern (region/pattern.h). A pattern without a dot
// after "__", and every regex:RE, is for base names; "dram__bytes*.sum" is for
// full names. kUsage: invalid pattern.
Result<std::vector<ListedMetric>> MatchingMetrics(
    const ChipHosts& hosts, std::span<const std::string> patterns,
    const ListProgress& progress);

// Passes of all metrics together in `host`'s mode, as in CounterList.
std::optional<std::size_t> PassesTogether(
    const CounterHost* host, std::span<const ListedMetric> metrics);

// A sentence for each pattern without a matching metric, with similar names.
std::vector<std::string> HintsOf(const ChipHosts& hosts, std::string_view chip,
                                 std::span<const std::string> patterns);

// ---- As text ---------------------------------------------------------------

// One line per hardware unit: the number of its metrics in each mode, and as
// many names as fit into `width` cells.
std::string CounterUnitsTable(const CounterList& list, std::size_t width);

// One metric per line: passes in each mode, "-" if the mode lacks it, and the
// unit; below it the description, and in short lists the suffixes.
std::string CounterTable(const CounterList& list, std::size_t width);

// One JSON document, and a newline. `with_passes`: they were requested, and a
// metric without them is not available.
std::string CounterJson(const CounterList& list, bool with_passes);

}  // namespace rangefinder
