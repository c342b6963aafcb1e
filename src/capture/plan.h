// Plans the runs of ncu.
//
// Kernel and application replay measure every kernel with all its ranges, so
// one run is enough. The range modes measure a range as a whole, and of nested
// ranges only the outermost. They need one run per level of nesting, since the
// regions of a chain must be in different runs.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/cost.h"
#include "capture/options.h"

namespace rangefinder {

// A region that is known from an earlier capture or a discovery run.
struct RegionToMeasure {
  std::string label{};                  // for people: "A/A::A1"
  std::optional<std::size_t> parent{};  // its index among the same regions
  bool wanted = true;
  std::vector<std::string> expressions{};  // of ncu; they select this region
  std::uint64_t kernels = 1;               // inclusive
  std::uint64_t instances = 1;
  double seconds = 0;  // mean of an instance
};

// The selected instances of every region: `count` after the first `skip`.
struct InstanceWindow {
  std::uint64_t skip = 0;
  std::optional<std::uint64_t> count{};  // nothing: all of them

  bool takes_all() const { return skip == 0 && !count; }
  // Whether the instance with this number, from 0, is selected.
  bool Takes(std::uint64_t ordinal) const {
    return ordinal >= skip && (!count || ordinal - skip < *count);
  }
  friend bool operator==(const InstanceWindow&,
                         const InstanceWindow&) = default;
};

// "A, A/B and 7 more": the first labels, and the number of the others.
std::string SomeLabels(const std::vector<std::string>& labels);

// "regions.instances.skip=1 count=2"
std::string WindowText(const InstanceWindow& window);

// One run of ncu.
struct PlannedRun {
  std::string name = "run";  // the stem of its files
  std::string mode = "kernel";
  std::vector<std::string> nvtx_include{};  // ncu's expressions
  std::vector<std::string> regions{};       // labels of the regions to measure
  std::uint64_t instances = 0;              // of these regions; 0: not known
  double seconds = 0;                       // of these instances together
  // The instances of each of `regions`, if they are known.
  std::vector<std::uint64_t> region_instances{};
  // The instances that ncu selects. Without a window ncu takes all, and the
  // report selects.
  std::optional<InstanceWindow> window{};
  std::string range_filter{};  // --range-filter, of range modes
  // --launch-skip and --launch-count, of kernel replay; 0: not given.
  std::uint64_t launch_skip = 0;
  std::uint64_t launch_count = 0;
  // Numbers, from 1, of the launches to measure of every kernel; empty: all.
  std::vector<std::uint64_t> launch_numbers{};
  std::string why{};
  // A fallback changes these.
  bool filtered = true;      // false: no NVTX filter, against the settings
  bool free_clocks = false;  // --clock-control none, against the settings
};

// The baseline run: the program under the injection library, without replay.
struct TraceRecord {
  // "ok", "failed" (the program failed; the trace ends there) or "none" (there
  // is no trace).
  std::string status{};
  std::string mode{};  // "trace", or "regions": ranges without kernels
  double seconds = 0;  // wall time of the program
  std::string why{};   // the reason why the trace is not whole
  std::vector<std::filesystem::path> files{};
  std::optional<int> rank{};
};

// The expected cost of all runs of ncu together.
struct Forecast {
  std::string unit = "kernel";  // or "range"
  std::uint64_t units = 0;      // to measure
  int passes = 0;               // of each unit
  double seconds = 0;
  int runs = 1;
};

// A plan that was cut to pipeline.ncu.budget.
struct BudgetRecord {
  double asked_s = 0;
  Budget fitted{};
  // In range modes: regions whose runs were left out.
  std::vector<std::string> left_out{};
};

// Facts and decisions from before ncu runs. The manifest keeps them for
// reports.
struct Groundwork {
  std::optional<TraceRecord> trace{};
  std::optional<Forecast> forecast{};
  std::optional<BudgetRecord> budget{};
  // The reason not to run ncu at all.
  std::optional<Error> failure{};
};

struct CapturePlan {
  std::vector<PlannedRun> runs{};
  Groundwork groundwork{};
  Notes notes{};
};

// Whether `mode` measures ranges as a whole: range and app-range.
bool IsRangeMode(std::string_view mode);
// Whether a run of ncu in `mode` starts the program once per pass.
bool RepeatsProgram(std::string_view mode);

// A plan of one run, for a program whose regions are not known.
CapturePlan PlanCapture(const CaptureOptions& options);

// The runs in a range mode that measure the wanted regions of `regions`
// (parents before children): one per level of nesting. Regions without kernels
// get no run.
CapturePlan PlanByLevel(const CaptureOptions& options,
                        std::span<const RegionToMeasure> regions);

// Options for a discovery run in kernel replay. The run measures only the times
// of kernels, and thus finds the regions and their kernels.
CaptureOptions DiscoveryOptions(CaptureOptions options);

// `runs` in another mode. Outside the range modes they become one run.
std::vector<PlannedRun> Replanned(std::span<const PlannedRun> runs,
                                  const std::string& mode);

// "840 kernels x 12 passes: about 3 min"
std::string ForecastText(const Forecast& forecast);

}  // namespace rangefinder
