// pipeline.*: the requested measurements as the user wrote them: patterns
// instead of ncu's expressions, a mode instead of a plan.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/nsys.h"
#include "capture/options.h"
#include "counters/counter_host.h"

namespace rangefinder {

// pipeline.ncu.*: the options of ncu as the user wrote them. `nvtx_include` and
// `nvtx_exclude` are patterns, `metrics` may name derived metrics, and
// `fallback` may have "none"; NcuOptionsFor() and SetNvtxFilters() replace
// them.
struct NcuSettings : NcuOptions {
  bool enable = false;
  bool nvtx_native = false;  // the patterns are expressions of ncu
  bool export_csv = true;
  std::optional<double> budget_s{};
  bool exact_rollup = true;
  // A list of kernels to profile one by one: plan/kernel_list.h.
  std::optional<std::string> kernel_config{};  // a file
  std::optional<std::uint64_t> kernel_top{};  // of the first kernels; none: all
  std::uint64_t kernel_launch_skip = 200;     // launches of each
  std::uint64_t kernel_launch_count = 1;
  std::vector<std::string> kernel_sections{};  // in addition to `sections`
};

// pipeline.nsys.*
struct NsysSettings : NsysOptions {
  bool enable = false;
  bool gating_nvtx = true;
};

// pipeline.trace.*
struct TraceSettings {
  bool enable = true;
  std::string mode = "trace";  // regions | trace
  std::string api = "calls";   // launches | calls | none
  bool source = false;         // lines of kernels

  bool has_kernels() const { return mode == "trace"; }
};

// The time that exact counting may add to the program.
struct CounterBudget {
  bool is_share = true;
  double value = 0.05;  // of the baseline run's time; or in seconds
};

// Counters that fit one pass, for chips of one family.
struct CounterSet {
  std::string name{};                  // "hopper"
  std::vector<std::string> metrics{};  // full names, each once
};

// pipeline.counters.*: hardware counters without kernel replay.
struct CounterSettings {
  bool enable = true;
  // Samples of the baseline run, divided among the regions, or exact counts of
  // selected instances; nothing: off, as with `enable` false.
  std::optional<CounterMode> mode = CounterMode::kSample;
  // Full names, each once, as listed; empty: one of `sets`.
  std::vector<std::string> metrics{};
  // The first set that fits one pass of the chip is sampled. The last set is
  // for all other chips, and for exact counts.
  std::vector<CounterSet> sets{};
  // Added to a set if the device has them.
  std::vector<std::string> optional{};
  std::optional<std::uint64_t> interval_us{};  // nothing: auto
  CounterBudget budget{};
  bool check = false;  // also count some instances, and compare
  // Half of an estimate's 95 % interval over its value, above which the report
  // says how much longer to run.
  std::optional<double> precision{};

  bool is(CounterMode wanted) const { return enable && mode == wanted; }
};

}  // namespace rangefinder
