// What was known and decided before ncu ran: the run under the tracer, what the
// runs were expected to cost, and how they were cut to a budget. The manifest
// keeps it, so that a report can say what became of it.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "capture/budget.h"

namespace rangefinder {

// The run of the program under the tracer.
struct TraceRecord {
  // "ok", "failed" (the program did, and its trace is of what came before) or
  // "none" (no trace could be made).
  std::string status{};
  std::string mode{};  // "trace", or "regions": ranges without kernels
  double seconds = 0;  // wall time of the program
  std::string why{};   // where it is not a whole trace
  std::vector<std::filesystem::path> files{};
  std::optional<int> rank{};
};

// What all runs of ncu together were expected to take.
struct Forecast {
  std::string unit = "kernel";  // or "range"
  std::uint64_t units = 0;      // that are measured
  int passes = 0;               // of each
  double seconds = 0;
  int runs = 1;
};

// A plan cut to pipeline.ncu.budget.
struct BudgetRecord {
  double asked_s = 0;
  Budget fitted{};
  // Regions whose runs were left out; of range modes.
  std::vector<std::string> left_out{};
};

struct Groundwork {
  std::optional<TraceRecord> trace{};
  std::optional<Forecast> forecast{};
  std::optional<BudgetRecord> budget{};
  // Why ncu is not run at all.
  std::optional<Error> failure{};
};

// "840 kernels x 12 passes: about 3 min"
std::string ForecastText(const Forecast& forecast);

}  // namespace rangefinder
