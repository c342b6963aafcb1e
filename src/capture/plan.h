// Which runs of a profiler it takes to measure what was asked.
//
// Kernel and application replay see every kernel with all its ranges, so one
// run does. The range modes measure a range as a whole and only the outermost
// of nested ones: there it takes a run per level of nesting, and no fewer,
// since the regions of one chain must all be in different runs.

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
#include "capture/groundwork.h"
#include "capture/options.h"

namespace rangefinder {

// A region that is known to exist, from an earlier capture or a discovery run.
struct RegionToMeasure {
  std::string label{};                  // for people: "A/A::A1"
  std::optional<std::size_t> parent{};  // index of it, among the same regions
  bool wanted = true;
  std::vector<std::string> expressions{};  // ncu's, that select this region
  std::uint64_t kernels = 1;    // launched in it or its inner regions
  std::uint64_t instances = 1;  // how often it ran
  double seconds = 0;           // that one of them takes, on average
};

// Which instances of every region: from the one after the first `skip` on.
struct InstanceWindow {
  std::uint64_t skip = 0;
  std::optional<std::uint64_t> count{};  // nothing: all of them

  bool takes_all() const { return skip == 0 && !count; }
  // Whether it takes the instance of this number, from 0.
  bool Takes(std::uint64_t ordinal) const {
    return ordinal >= skip && (!count || ordinal - skip < *count);
  }
  friend bool operator==(const InstanceWindow&,
                         const InstanceWindow&) = default;
};

// "regions.instances.skip=1 count=2"
std::string WindowText(const InstanceWindow& window);

// One run of ncu.
struct PlannedRun {
  std::string name = "run";  // the stem of its files
  std::string mode = "kernel";
  std::vector<std::string> nvtx_include{};  // ncu's expressions
  std::vector<std::string> regions{};       // labels of what it is to measure
  std::uint64_t instances = 0;              // of these regions; 0: not known
  double seconds = 0;  // that these instances take together
  // How often each of `regions` is to be measured, where that is known.
  std::vector<std::uint64_t> region_instances{};
  // ncu itself is told which instances to take; otherwise it takes others too
  // and the report selects.
  std::optional<InstanceWindow> window{};
  std::string range_filter{};  // --range-filter, of range modes
  // --launch-skip and --launch-count, of kernel replay; 0: not given.
  std::uint64_t launch_skip = 0;
  std::uint64_t launch_count = 0;
  // Of every kernel the launches with these numbers, from 1; empty: all.
  std::vector<std::uint64_t> launch_numbers{};
  std::string why{};
  // What a fallback changes.
  bool filtered = true;      // false: no NVTX filter, whatever was asked
  bool free_clocks = false;  // --clock-control none, whatever was asked
};

struct CapturePlan {
  std::vector<PlannedRun> runs{};
  Groundwork groundwork{};
  Notes notes{};
};

// Whether `mode` measures ranges as a whole: range and app-range.
bool IsRangeMode(std::string_view mode);
// Whether one run of ncu in `mode` starts the program once for every pass.
bool RepeatsProgram(std::string_view mode);

// One run of what `options` ask for, of a program whose regions are not known.
CapturePlan PlanCapture(const CaptureOptions& options);

// The runs in a range mode that measure the wanted ones of `regions` (parents
// before children), a run a level of nesting; none where nothing is wanted or
// nothing wanted launches.
CapturePlan PlanByLevel(const CaptureOptions& options,
                        std::span<const RegionToMeasure> regions);

// One run in kernel replay that measures the time of every kernel inside ranges
// and nothing else: what the regions are, and what they launch.
CaptureOptions DiscoveryOptions(CaptureOptions options);

// `runs` in another mode. In a mode that is blind to nesting they become one.
std::vector<PlannedRun> Replanned(std::span<const PlannedRun> runs,
                                  const std::string& mode);

// The plan for people: the runs, why each, and the commands that make them.
Result<std::string> PlanText(const CaptureOptions& options,
                             const CapturePlan& plan);

}  // namespace rangefinder
