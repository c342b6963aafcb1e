#include "capture/plan.h"

#include <array>
#include <map>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "capture/cost.h"

namespace rangefinder {
namespace {

// Expressions for all ranges: push/pop and start/end, in named domains and in
// the default domain, which needs an expression without a domain.
constexpr std::array<const char*, 4> kAnyRange = {"regex:.*@.+/", "regex:.*@.+",
                                                  "regex:.+/", "regex:.+"};

std::string Count(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

PlannedRun KernelRun(const NcuOptions& ncu) {
  PlannedRun run{.mode = ncu.replay_mode};
  if (!ncu.gating_nvtx) {
    run.why = "every kernel, each with the ranges it was launched in";
  } else if (ncu.nvtx_include.empty()) {
    run.nvtx_include.assign(kAnyRange.begin(), kAnyRange.end());
    run.why = "every kernel launched inside a range, with all its ranges";
  } else {
    run.nvtx_include = ncu.nvtx_include;
    run.why = "every kernel launched inside the wanted ranges";
  }
  return run;
}

PlannedRun BlindRangeRun(const NcuOptions& ncu) {
  PlannedRun run{.mode = ncu.replay_mode, .nvtx_include = ncu.nvtx_include};
  if (run.nvtx_include.empty())
    run.nvtx_include.assign(kAnyRange.begin(), kAnyRange.end());
  run.why =
      "the outermost of the wanted ranges; the program's ranges are not known "
      "before the run";
  return run;
}

std::string Why(const PlannedRun& run, std::size_t level) {
  if (level == 0) {
    return fmt::format("{} outside other wanted regions: {}",
                       Count(run.regions.size(), "region"),
                       SomeLabels(run.regions));
  }
  return fmt::format(
      "{} inside regions of level {} (a run measures only the outermost): {}",
      Count(run.regions.size(), "region"), level, SomeLabels(run.regions));
}

}  // namespace

std::string SomeLabels(const std::vector<std::string>& labels) {
  return Printable(FirstListed(labels, 6));
}

std::string WindowText(const InstanceWindow& window) {
  std::string text = fmt::format("regions.instances.skip={}", window.skip);
  if (window.count) text += fmt::format(" count={}", *window.count);
  return text;
}

bool IsRangeMode(std::string_view mode) {
  return mode == "range" || mode == "app-range";
}

bool RepeatsProgram(std::string_view mode) {
  return mode == "application" || mode == "app-range";
}

CapturePlan PlanCapture(const CaptureOptions& options) {
  const NcuOptions& ncu = options.ncu;
  CapturePlan plan;
  if (!IsRangeMode(ncu.replay_mode)) {
    plan.runs = {KernelRun(ncu)};
    return plan;
  }
  plan.runs = {BlindRangeRun(ncu)};
  plan.notes.Add(
      Severity::kWarning, "nesting_unknown",
      "the regions of the program were not known before the run: ncu "
      "measured only the outermost of nested ranges");
  return plan;
}

CapturePlan PlanByLevel(const CaptureOptions& options,
                        std::span<const RegionToMeasure> regions) {
  CapturePlan plan;
  std::vector<std::size_t> above(regions.size(), 0);  // wanted outer regions
  std::vector<std::string> idle;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const RegionToMeasure& region = regions[i];
    if (region.parent) {
      const RegionToMeasure& parent = regions[*region.parent];
      const bool counts = parent.wanted && parent.kernels > 0;
      above[i] = above[*region.parent] + (counts ? 1 : 0);
    }
    if (!region.wanted) continue;
    if (region.kernels == 0) {
      idle.push_back(region.label);
      continue;
    }
    if (plan.runs.size() <= above[i]) plan.runs.resize(above[i] + 1);
    PlannedRun& run = plan.runs[above[i]];
    AddOnce(run.regions, region.label);
    run.region_instances.resize(run.regions.size());
    run.region_instances.back() += region.instances;
    run.instances += region.instances;
    run.seconds += static_cast<double>(region.instances) * region.seconds;
    for (const std::string& expression : region.expressions)
      AddOnce(run.nvtx_include, expression);
  }
  for (std::size_t level = 0; level < plan.runs.size(); ++level) {
    PlannedRun& run = plan.runs[level];
    run.mode = options.ncu.replay_mode;
    if (plan.runs.size() > 1) run.name = fmt::format("level-{}", level + 1);
    run.why = Why(run, level);
  }
  if (!idle.empty()) {
    plan.notes.Add(Severity::kInfo, "idle_region",
                   fmt::format("{} launched no kernel and cannot be measured "
                               "as a range: {}",
                               Count(idle.size(), "region"), SomeLabels(idle)));
  }
  return plan;
}

CaptureOptions DiscoveryOptions(CaptureOptions options) {
  NcuOptions& ncu = options.ncu;
  ncu.replay_mode = "kernel";
  ncu.nvtx_include.clear();
  ncu.nvtx_exclude.clear();
  ncu.gating_nvtx = false;  // a filter cannot match an empty name
  ncu.sections.clear();
  ncu.set.reset();
  ncu.metrics = {"gpu__time_duration.sum"};
  // Keep options that choose processes and kernels; drop options that choose
  // measurements.
  std::map<std::string, std::vector<std::string>> kept;
  for (const char* name :
       {"target_processes", "target_processes_filter", "devices",
        "nvtx_push_pop_scope", "clock_control", "kernel_name",
        "kernel_name_base", "support_32bit", "null_stdin", "graph_profiling"}) {
    if (const auto at = ncu.options.find(name); at != ncu.options.end())
      kept.insert(*at);
  }
  ncu.options = std::move(kept);
  return options;
}

std::vector<PlannedRun> Replanned(std::span<const PlannedRun> runs,
                                  const std::string& mode) {
  std::vector<PlannedRun> result(runs.begin(), runs.end());
  for (PlannedRun& run : result) {
    run.mode = mode;
    run.name += "-" + mode;
  }
  if (IsRangeMode(mode) || result.empty()) return result;
  // Numbers of ranges are not numbers of launches, so the report selects.
  for (PlannedRun& run : result) {
    if (!run.range_filter.empty()) run.window.reset();
    run.range_filter.clear();
  }
  PlannedRun& first = result.front();
  first.name = mode;
  first.why = "every kernel launched inside the wanted ranges";
  for (const PlannedRun& run : result) {
    for (const std::string& expression : run.nvtx_include)
      AddOnce(first.nvtx_include, expression);
    for (const std::string& region : run.regions)
      AddOnce(first.regions, region);
  }
  result.resize(1);
  return result;
}

std::string ForecastText(const Forecast& forecast) {
  std::string text = fmt::format(
      "{} {}{} x {} pass{}: about {}", forecast.units, forecast.unit,
      forecast.units == 1 ? "" : "s", forecast.passes,
      forecast.passes == 1 ? "" : "es", DurationText(forecast.seconds));
  if (forecast.runs > 1) text += fmt::format(", in {} runs", forecast.runs);
  return text;
}

}  // namespace rangefinder
