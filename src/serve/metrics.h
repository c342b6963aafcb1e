// Numbers of the latest window of each run, as text for Prometheus.
//
// A number that was not measured has no sample; it is never 0.
// https://prometheus.io/docs/instrumenting/exposition_formats
// https://prometheus.io/docs/specs/om/open_metrics_spec

#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

// Limits the size of one report. A region has one row per process and device.
constexpr std::size_t kMostServedRegions = 200;
constexpr std::size_t kMostServedRows = 2000;
constexpr std::size_t kMostServedScopes = 64;

// A region in one process on one device.
struct RegionFigures {
  std::string process{}, rank{}, host{}, device{};  // empty: none, or unknown
  std::string region{};                             // its path, joined by /
  std::vector<std::optional<double>> values{};      // of RegionFamilyNames()
};

// The names of the families in RegionFigures::values, in order.
std::vector<std::string> RegionFamilyNames();

// The regions with the most GPU time, and `(others)` with the sums of the other
// regions. kCorrupt: `report` is no report.json.
Result<std::vector<RegionFigures>> FiguresOfReport(std::istream& report);

// One run of the command line.
struct RunFigures {
  std::string run{};  // its name on the command line
  std::uint64_t windows = 0;
  std::uint64_t failures = 0;
  std::optional<bool> up{};  // nothing: before the first window
  // Of its latest window.
  std::optional<double> start_unix_s{};
  std::optional<double> seconds{};
  std::vector<RegionFigures> regions{};
};

enum class MetricsFormat {
  kPrometheus,   // text/plain; version=0.0.4
  kOpenMetrics,  // application/openmetrics-text; version=1.0.0
};

std::string MetricsText(std::span<const RunFigures> runs, MetricsFormat format);

}  // namespace rangefinder
