#include "plan/profile_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "capture/ncu.h"
#include "plan/budget_plan.h"
#include "plan/instance_plan.h"
#include "plan/kernel_check.h"
#include "plan/ncu_request.h"
#include "plan/region_plan.h"

namespace rangefinder {
namespace {

// The launches to measure in kernel and application replay; `plan` gets the
// instances if ncu can select them.
std::vector<Launch> LaunchesFor(const InstanceWindow& instances,
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
  if (instances.takes_all() || !in_order) return launches;
  FilterLaunches(instances, profile, which, run, notes);
  if (run.launch_count > 0) {
    launches.erase(launches.begin(),
                   std::next(launches.begin(),
                             static_cast<std::ptrdiff_t>(run.launch_skip)));
    launches.resize(run.launch_count);
  }
  return launches;
}

// The runs before any budget. `launches` gets the launches that they measure in
// kernel and application replay.
Result<CapturePlan> PlanRuns(const PlanRequest& asked, const Profile* profile,
                             const CaptureOptions& options, KernelMatch kernels,
                             std::vector<Launch>& launches, Notes& notes) {
  const bool ranges = IsRangeMode(options.ncu.replay_mode);
  // Native expressions are passed to ncu unchanged, and not split by region.
  if (profile == nullptr || (ranges && asked.ncu.nvtx_native))
    return PlanCapture(options);
  if (ranges) {
    auto regions = TRY(PlannableRegions(*profile, asked.ncu));
    CountInstances(asked.instances, *profile, regions, notes);
    CapturePlan plan = PlanByLevel(options, regions);
    FilterRanges(asked.instances, *profile, plan, notes);
    return plan;
  }
  CapturePlan plan = PlanCapture(options);
  launches = LaunchesFor(asked.instances, *profile, options.ncu, plan, notes);
  // Only ncu knows its spelling of a signature.
  const bool by_ncu = kernels == KernelMatch::kUnknown ||
                      options.ncu.options.contains("kernel_id");
  if (launches.empty() && !by_ncu) plan.runs.clear();
  return plan;
}

// Ranges measured as a whole do not select kernels. Combinations that ncu
// refuses were reported before (capture/ncu_options.h).
Status CheckKernelChoice(const PlanRequest& asked) {
  const bool chosen = !asked.selection.kernels_include.empty() ||
                      !asked.selection.kernels_exclude.empty();
  if (!IsRangeMode(asked.ncu.replay_mode) || !chosen) return Ok();
  return Error(
      ErrorCode::kUsage,
      fmt::format("regions.kernels has no effect in {} replay: range and "
                  "app-range replay measure a range as a whole, with all its "
                  "kernels; choose kernels with "
                  "pipeline.ncu.ncu_cli.replay_mode=kernel (or application), "
                  "or remove regions.kernels",
                  asked.ncu.replay_mode));
}

}  // namespace

bool NeedsToKnow(const PlanRequest& asked) {
  return IsRangeMode(asked.ncu.replay_mode) || asked.ncu.budget_s ||
         !asked.instances.takes_all();
}

Result<CapturePlan> MakeProfilePlan(const PlanRequest& asked,
                                    const KnownProgram& known,
                                    CaptureOptions& options) {
  CapturePlan plan;
  plan.groundwork.trace = known.trace;
  plan.groundwork.failure = known.failure;
  if (known.failure) return plan;

  Notes notes;
  const Profile* profile = known.profile ? &*known.profile : nullptr;
  TRY(CheckInstances(asked.instances, options.ncu));
  TRY(CheckKernelChoice(asked));
  const bool wanted =
      profile == nullptr || TRY(CheckIncludes(asked.ncu, *profile, notes));
  // Range modes name the regions of the known program; the other modes pass the
  // patterns, since names may differ from run to run (step_17).
  const bool names_regions = IsRangeMode(options.ncu.replay_mode);
  TRY(SetNvtxFilters(asked.ncu, names_regions ? profile : nullptr, options.ncu,
                     notes));
  const KernelMatch kernels =
      profile == nullptr
          ? KernelMatch::kUnknown
          : CheckKernels(options.ncu, asked.selection, *profile, notes);
  const bool none = kernels == KernelMatch::kNone;
  std::vector<Launch> launches;
  if (wanted && !none)
    plan = TRY(PlanRuns(asked, profile, options, kernels, launches, notes));
  plan.groundwork.trace = known.trace;
  if (plan.runs.empty()) {
    if (wanted && (none || options.ncu.options.contains("kernel_name")))
      NoteNoMatchingKernels(kernels, notes);
    else
      NoteNothingToMeasure(asked.ncu, *profile, notes);
  }

  const double program_s = known.trace ? known.trace->seconds : 0;
  if (asked.ncu.budget_s) {
    CutToBudget(*asked.ncu.budget_s, launches, program_s, options.ncu, plan,
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
  // A difference of a few seconds is not worth a note.
  if (high <= 2 * low || high - low < 5) return;
  notes.Add(Severity::kInfo, "cost_estimate",
            fmt::format("ncu's runs were expected to take {} ({} x {} passes) "
                        "and took {} ({} x {} passes)",
                        DurationText(expected.seconds), expected.units,
                        expected.passes, DurationText(spent.seconds),
                        spent.results, spent.passes));
}

}  // namespace rangefinder
