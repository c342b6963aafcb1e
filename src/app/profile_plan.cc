#include "app/profile_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/budget_plan.h"
#include "app/instance_plan.h"
#include "app/nvtx_filters.h"
#include "app/region_plan.h"
#include "capture/ncu.h"

namespace rangefinder {
namespace {

// Range modes name the regions of the known program; the others take what the
// patterns mean, since names may differ from run to run (step_17).
Status SetFilters(const Settings& settings, const Profile* known,
                  CaptureOptions& options, Notes& notes) {
  const bool ranges = IsRangeMode(options.ncu.replay_mode);
  const NvtxFilters filters =
      TRY(MakeNvtxFilters(settings.ncu, ranges ? known : nullptr, notes));
  options.ncu.nvtx_include = filters.include;
  options.ncu.nvtx_exclude = filters.exclude;
  if (known == nullptr || settings.ncu.nvtx_native) return Ok();
  Notes ignored;
  const NvtxFilters exact = TRY(MakeNvtxFilters(settings.ncu, known, ignored));
  if (exact.matches_nothing) {
    notes.Add(Severity::kWarning, "include_matches_nothing",
              "no region that the program launched a kernel in matches "
              "pipeline.ncu.ncu_cli.nvtx.include; `rangefinder show RUN/trace` "
              "lists them, `rangefinder filter PATTERN RUN/trace` says why");
  }
  return Ok();
}

// Of kernel and application replay, those that are to be measured; `plan` is
// told the instances where it can be.
std::vector<Launch> LaunchesFor(const Settings& settings,
                                const Profile& profile, const NcuOptions& ncu,
                                CapturePlan& plan, Notes& notes) {
  PlannedRun& run = plan.runs.front();
  std::vector<const Measurement*> which;
  std::vector<Launch> launches = SelectedLaunches(profile, ncu, run, &which);
  const bool in_order =
      run.mode == "kernel" && LaunchesAreInOrder(profile, ncu);
  if (!in_order || !CanChooseByNumber(ncu)) {
    for (Launch& launch : launches) launch.number = 0;
  }
  if (!AsksForInstances(settings.regions) || !in_order) return launches;
  FilterLaunches(settings.regions, profile, which, run, notes);
  if (run.launch_count > 0) {
    launches.erase(launches.begin(), launches.begin() + run.launch_skip);
    launches.resize(run.launch_count);
  }
  return launches;
}

}  // namespace

bool NeedsToKnow(const Settings& settings) {
  return IsRangeMode(settings.ncu.replay_mode) || settings.ncu.budget_s ||
         AsksForInstances(settings.regions);
}

Result<CapturePlan> MakeProfilePlan(const Settings& settings,
                                    const KnownProgram& known,
                                    CaptureOptions& options) {
  Notes notes;
  TRY(CheckInstances(settings.regions, options.ncu));
  const Profile* profile = known.profile ? &*known.profile : nullptr;
  TRY(SetFilters(settings, profile, options, notes));
  std::vector<RegionToMeasure> regions;
  if (IsRangeMode(options.ncu.replay_mode)) {
    if (profile != nullptr)
      regions = TRY(PlannableRegions(*profile, settings.ncu));
    if (profile != nullptr)
      CountInstances(settings.regions, *profile, regions, notes);
  }
  CapturePlan plan = PlanCapture(options, regions);
  if (profile != nullptr && IsRangeMode(options.ncu.replay_mode))
    FilterRanges(settings.regions, *profile, plan, notes);
  plan.groundwork.trace = known.trace;

  const double program_s = known.trace ? known.trace->seconds : 0;
  std::vector<Launch> launches;
  if (profile != nullptr && !IsRangeMode(options.ncu.replay_mode))
    launches = LaunchesFor(settings, *profile, options.ncu, plan, notes);
  if (settings.ncu.budget_s) {
    CutToBudget(*settings.ncu.budget_s, launches, program_s, options.ncu, plan,
                notes);
    if (plan.groundwork.budget && !IsRangeMode(options.ncu.replay_mode))
      launches = WithinBudget(launches, plan.groundwork.budget->fitted);
  }
  if (profile != nullptr)
    plan.groundwork.forecast =
        ForecastOf(plan, options.ncu, launches, program_s);
  notes.Merge(plan.notes);
  plan.notes = std::move(notes);
  return plan;
}

void CheckForecast(const Capture& capture, Notes& notes) {
  if (!capture.forecast || capture.failure) return;
  const Forecast& expected = *capture.forecast;
  const Spent spent = SpentOf(capture);
  const bool chosen =
      std::ranges::any_of(capture.runs, [](const RunRecord& run) {
        return std::ranges::any_of(run.command, [](const std::string& word) {
          return word == "--launch-count" || word == "--kernel-id";
        });
      });
  if (chosen && expected.unit == "kernel" && spent.results != expected.units) {
    notes.Add(Severity::kWarning, "launch_count",
              fmt::format("{} launches were to be measured and {} were; does "
                          "the program launch the same every time, and in the "
                          "same order?",
                          expected.units, spent.results));
  }
  const double low = std::min(expected.seconds, spent.seconds);
  const double high = std::max(expected.seconds, spent.seconds);
  // Of a run of seconds nobody minds.
  if (high <= 2 * low || high - low < 5) return;
  notes.Add(Severity::kInfo, "cost_estimate",
            fmt::format("ncu's runs were expected to take {} ({} x {} passes) "
                        "and took {} ({} x {} passes)",
                        DurationText(expected.seconds), expected.units,
                        expected.passes, DurationText(spent.seconds),
                        spent.results, spent.passes));
}

}  // namespace rangefinder
