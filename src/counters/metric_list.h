// The metrics that a chip offers, as `rangefinder counters` shows them: which
// are meant by patterns, and how many passes each takes.

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

// One metric: a base name, or a full one where a pattern has a suffix.
struct ListedMetric {
  std::string name{};
  cupti::MetricType type = cupti::MetricType::kCounter;
  bool in_sample = false;  // whether the mode offers it
  bool in_count = false;
  // Passes in each mode, of UsualMetric() where `name` is a base name; absent
  // where it is not offered, or was not requested.
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
  std::vector<std::string> hints{};     // whole sentences, where none matches
  // Passes of all of them at once, where all are full names and not too many;
  // absent also where a mode does not have them together.
  std::optional<std::size_t> sample_together{};
  std::optional<std::size_t> count_together{};
};

// The hosts of one chip; a mode that the chip does not have is null.
struct ChipHosts {
  const CounterHost* sample = nullptr;
  const CounterHost* count = nullptr;
};

// Called with metrics done and to do.
using ListProgress = std::function<void(std::size_t done, std::size_t all)>;

// All base metrics, without passes, which would take CUPTI a minute.
Result<std::vector<ListedMetric>> AllMetrics(const ChipHosts& hosts);

// Those that a pattern means (region/pattern.h). A pattern without a dot
// behind "__", and every regex:RE, is of base names; "dram__bytes*.sum" is of
// full names. kUsage for an invalid pattern.
Result<std::vector<ListedMetric>> MatchingMetrics(
    const ChipHosts& hosts, std::span<const std::string> patterns,
    const ListProgress& progress);

// Passes of all metrics together in `host`'s mode, nothing where there is none.
std::optional<std::size_t> PassesTogether(
    const CounterHost* host, std::span<const ListedMetric> metrics);

// For each pattern that means none of the chip's metrics: that, and what may
// have been meant.
std::vector<std::string> HintsOf(const ChipHosts& hosts, std::string_view chip,
                                 std::span<const std::string> patterns);

// The hardware unit of a name: "dram" of "dram__bytes_read.sum".
std::string UnitOfMetric(std::string_view name);

// ---- As text
// -----------------------------------------------------------------

// One line a hardware unit: how many metrics each mode has of it, and as many
// names as fit into `width` cells.
std::string CounterUnitsTable(const CounterList& list, std::size_t width);

// One metric after the other: passes in each mode, "-" where it has none, the
// unit; below it what it says, and the suffixes where the list is short.
std::string CounterTable(const CounterList& list, std::size_t width);

// One JSON document, and a newline. `with_passes`: they were asked for, and a
// metric without them is not offered.
std::string CounterJson(const CounterList& list, bool with_passes);

}  // namespace rangefinder
