#include "plan/budget_plan.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "capture/ncu.h"
#include "plan/kernel_check.h"
#include "plan/ncu_request.h"
#include "region/path.h"
#include "region/selection.h"

namespace rangefinder {
namespace {

double Nanoseconds(const Profile& profile, const Measurement& m,
                   std::optional<MetricId> duration) {
  if (duration) {
    for (const Sample& sample : profile.SamplesOf(m)) {
      if (sample.metric == *duration)
        return sample.value().number().value_or(0);
    }
  }
  return m.end_ns > m.start_ns ? static_cast<double>(m.end_ns - m.start_ns) : 0;
}

// Shared memory that the launch requested: from a trace, or from ncu.
std::uint64_t DynamicShared(const Profile& profile, const Measurement& m) {
  const auto metric =
      profile.FindMetric("launch__shared_mem_per_block_dynamic");
  if (m.dynamic_shared > 0 || !metric) return m.dynamic_shared;
  return static_cast<std::uint64_t>(
      profile.ValueOf(m, *metric).number().value_or(0));
}

// Kernel and launch configuration as ncu distinguishes them: by the name in the
// form of --kernel-name-base and the shared memory, not by stream, thread or
// process.
Launch LaunchOf(const Profile& profile, const Measurement& m,
                std::string_view base, std::optional<MetricId> duration) {
  const StringId name = base == "function"  ? m.function_name
                        : base == "mangled" ? m.mangled_name
                                            : m.demangled_name;
  return {.region = PathText(profile, PathOf(profile, m)),
          .kernel = std::string(profile.Name(name)),
          .config = fmt::format("({},{},{})x({},{},{})+{}", m.grid.x, m.grid.y,
                                m.grid.z, m.block.x, m.block.y, m.block.z,
                                DynamicShared(profile, m)),
          .gpu_ns = Nanoseconds(profile, m, duration)};
}

std::uint64_t NumberOf(const NcuOptions& ncu, const std::string& name) {
  return ParseNumber<std::size_t>(FirstWord(ncu, name)).value_or(0);
}

// --launch-skip and --launch-count, for all launches or for each class of them.
void CutByCount(const NcuOptions& ncu, std::vector<Launch>& launches) {
  const std::uint64_t skip = NumberOf(ncu, "launch_skip");
  const std::uint64_t count = NumberOf(ncu, "launch_count");
  if (skip == 0 && count == 0) return;
  const bool each = FirstWord(ncu, "filter_mode") == "per-launch-config";
  std::map<std::pair<std::string, std::string>, std::uint64_t> seen;
  std::erase_if(launches, [&](const Launch& launch) {
    const auto key = each ? std::pair(launch.kernel, launch.config)
                          : std::pair<std::string, std::string>();
    const std::uint64_t index = seen[key]++;
    return index < skip || (count > 0 && index >= skip + count);
  });
}

// Seconds of one run in a range mode.
double SecondsOf(const PlannedRun& run, const NcuOptions& ncu,
                 double program_s) {
  const CostModel model = ModelFor(ncu);
  const int passes = EstimatePasses(ncu, run.mode);
  if (run.mode == "app-range") return passes * program_s + model.run_s;
  const auto ranges = static_cast<double>(run.instances);
  return program_s + model.run_s + passes * run.seconds +
         ranges * (model.launch_s + passes * model.pass_s);
}

// Keeps whole runs, from the outermost level on; the first run is always kept.
void CutRuns(double seconds, double program_s, const NcuOptions& ncu,
             CapturePlan& plan, Notes& notes) {
  BudgetRecord record{.asked_s = seconds};
  double spent = 0;
  std::size_t kept = 0;
  bool is_spent = false;
  for (const PlannedRun& run : plan.runs) {
    const double more = SecondsOf(run, ncu, program_s);
    record.fitted.total += run.instances;
    is_spent = is_spent || (kept > 0 && spent + more > seconds);
    if (is_spent) {
      record.left_out.insert(record.left_out.end(), run.regions.begin(),
                             run.regions.end());
      continue;
    }
    spent += more;
    record.fitted.measured += run.instances;
    ++kept;
  }
  record.fitted.seconds = spent;
  record.fitted.fits = spent <= seconds;
  if (kept < plan.runs.size()) {
    notes.Add(
        Severity::kWarning, "budget",
        fmt::format("pipeline.ncu.budget ({}) is enough for {} of {} runs; "
                    "not measured: {}",
                    DurationText(seconds), kept, plan.runs.size(),
                    SomeLabels(record.left_out)));
    plan.runs.resize(kept);
  }
  if (!record.fitted.fits) {
    notes.Add(Severity::kWarning, "budget",
              fmt::format("pipeline.ncu.budget ({}) is less than one run is "
                          "expected to take ({}); ask for fewer metrics, or "
                          "for instances with regions.instances.count",
                          DurationText(seconds), DurationText(spent)));
  }
  plan.groundwork.budget = std::move(record);
}

void CutLaunches(double seconds, const std::vector<Launch>& launches,
                 double program_s, NcuOptions& ncu, CapturePlan& plan,
                 Notes& notes) {
  if (plan.runs.front().launch_count > 0) {
    notes.Add(Severity::kWarning, "budget",
              "pipeline.ncu.budget is not applied: regions.instances chooses "
              "the launches");
    return;
  }
  for (const char* name : {"launch_count", "launch_skip", "filter_mode"}) {
    if (!ncu.options.contains(name)) continue;
    notes.Add(Severity::kWarning, "budget",
              fmt::format("pipeline.ncu.budget is not applied: "
                          "pipeline.ncu.ncu_cli.{} chooses the launches",
                          name));
    return;
  }
  const CostModel model = ModelFor(ncu);
  const double around = model.run_s + program_s;
  const int passes = EstimatePasses(ncu, "kernel");
  BudgetRecord record{.asked_s = seconds};
  record.fitted =
      FitBudget(launches, passes, std::max(0.0, seconds - around), model);
  record.fitted.seconds += around;
  ApplyBudget(record.fitted, ncu);
  plan.runs.front().launch_numbers = record.fitted.numbers;
  if (record.fitted.launch_count > 0) {
    const bool by_region = !record.fitted.numbers.empty();
    notes.Add(
        Severity::kWarning, "budget",
        fmt::format("pipeline.ncu.budget ({}): {}; {} {} of every "
                    "({}kernel, grid, block, shared memory)",
                    DurationText(seconds), BudgetText(record.fitted),
                    by_region ? "at least" : "the first",
                    record.fitted.launch_count, by_region ? "region, " : ""));
  }
  if (!record.fitted.uncovered.empty()) {
    notes.Add(Severity::kWarning, "budget_uncovered",
              fmt::format("without a measured launch of their own: {}",
                          SomeLabels(record.fitted.uncovered)));
  }
  plan.groundwork.budget = std::move(record);
}

}  // namespace

std::vector<Launch> SelectedLaunches(const Profile& profile,
                                     const NcuOptions& ncu,
                                     const PlannedRun& run,
                                     std::vector<const Measurement*>* which) {
  const auto duration = profile.FindMetric("gpu__time_duration.sum");
  const std::string base = KernelNameBaseOf(ncu);
  const Selection by_name = KernelsByName(ncu);
  KeptKernels kernels(profile, by_name);
  ncu::NvtxFilter by_range;
  if (run.filtered) by_range = NvtxFilterOf(run.nvtx_include, ncu.nvtx_exclude);
  const std::uint64_t skip = NumberOf(ncu, "launch_skip_before_match");
  std::map<std::tuple<NvtxStateId, std::uint64_t, ProcessId>, bool> inside;
  std::uint64_t index = 0;
  std::unordered_map<std::string, std::uint64_t> numbers;
  std::vector<Launch> launches;
  for (const Measurement* launch : InLaunchOrder(profile)) {
    const Measurement& m = *launch;
    if (m.kind != MeasurementKind::kKernel || index++ < skip ||
        !kernels.Keeps(m))
      continue;
    const auto [at, is_new] =
        inside.try_emplace({m.nvtx, m.thread, m.process}, false);
    if (is_new) at->second = ncu::Selects(by_range, profile, m);
    if (!at->second) continue;
    launches.push_back(LaunchOf(profile, m, base, duration));
    launches.back().number = ++numbers[launches.back().kernel];
    if (which != nullptr) which->push_back(launch);
  }
  CutByCount(ncu, launches);
  return launches;
}

std::optional<Forecast> ForecastOf(const CapturePlan& plan,
                                   const NcuOptions& ncu,
                                   const std::vector<Launch>& launches,
                                   double program_s) {
  if (plan.runs.empty()) return std::nullopt;
  const std::string& mode = plan.runs.front().mode;
  const CostModel model = ModelFor(ncu);
  Forecast forecast{.passes = EstimatePasses(ncu, mode),
                    .runs = static_cast<int>(plan.runs.size())};
  if (IsRangeMode(mode)) {
    forecast.unit = "range";
    for (const PlannedRun& run : plan.runs) {
      if (run.instances == 0) return std::nullopt;
      forecast.units += run.instances;
      forecast.seconds += SecondsOf(run, ncu, program_s);
    }
    return forecast;
  }
  forecast.units = launches.size();
  forecast.seconds = model.run_s;
  if (mode == "application") {
    // The program runs once per pass, with its kernels one by one.
    forecast.seconds += forecast.passes * program_s;
  } else {
    forecast.seconds +=
        program_s + EstimateSeconds(launches, forecast.passes, model);
  }
  return forecast;
}

void CutToBudget(double seconds, const std::vector<Launch>& launches,
                 double program_s, NcuOptions& ncu, CapturePlan& plan,
                 Notes& notes) {
  if (plan.runs.empty()) return;
  const PlannedRun& first = plan.runs.front();
  const std::string& mode = first.mode;
  if (IsRangeMode(mode) ? first.instances == 0 : launches.empty()) {
    notes.Add(Severity::kWarning, "budget",
              "pipeline.ncu.budget is not applied: the program's launches are "
              "not known before the run (it needs pipeline.trace.enable and a "
              "trace with kernels)");
  } else if (IsRangeMode(mode)) {
    CutRuns(seconds, program_s, ncu, plan, notes);
  } else if (mode == "application") {
    notes.Add(Severity::kWarning, "budget",
              "pipeline.ncu.budget is not applied: application replay runs "
              "the whole program once a pass, however few kernels it measures; "
              "replay_mode=kernel can be cut");
  } else {
    CutLaunches(seconds, launches, program_s, ncu, plan, notes);
  }
}

}  // namespace rangefinder
