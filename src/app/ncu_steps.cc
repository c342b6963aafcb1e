#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/kernel_runs.h"
#include "app/command_settings.h"
#include "app/profile_steps.h"
#include "base/file.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/machine.h"
#include "capture/ncu.h"
#include "capture/ncu_options.h"
#include "capture/nsys.h"
#include "capture/progress.h"
#include "capture/provenance.h"
#include "capture/rank.h"
#include "capture/record.h"
#include "ingest/reader.h"
#include "plan/lost_ranges.h"
#include "plan/ncu_request.h"
#include "plan/profile_plan.h"
#include "region/merged_names.h"

namespace rangefinder {
namespace {

// Reports the capture. All ranks of a job write into one run directory; the
// last rank reports all of them.
Status ReportCapture(const TargetRun& run, bool tree) {
  if (run.options.rank) {
    run.console.Say(fmt::format("rank {} is captured", run.options.rank->rank));
    return Ok();
  }
  return ReportRunDirectory(run.options.run_dir, tree, run.reporting,
                            run.console);
}

// Queries the options of the installed ncu: a missing option is an error before
// any run.
Status CheckOptions(const NcuOptions& ncu, ProcessRunner& runner) {
  const std::filesystem::path path = TRY(FindNcu(runner, ncu.ncu));
  const Finished help = TRY(runner.Run({.argv = {path.string(), "--help"},
                                        .out = Command::Output::kCapture,
                                        .err = Command::Output::kCapture}));
  const auto version = NcuVersion(runner, path);
  if (help.ending == Ending::kInterrupted ||
      (!version.ok() && version.error().code() == ErrorCode::kInterrupted)) {
    return Error(ErrorCode::kInterrupted,
                 "interrupted while ncu was asked for its options");
  }
  if (!help.ok() || !version.ok())
    return Ok();  // the run itself will report the reason
  return CheckInstalledNcu(ncu.options, help.out, version.value());
}

// The facts that the plan of a dry run lacks, since the program does not run.
std::string UnknownText(const ProgramQuestion& asked) {
  const NcuSettings& ncu = asked.plan.ncu;
  const bool ranges = IsRangeMode(ncu.replay_mode);
  std::vector<std::string> unknown;
  if (ranges) {
    unknown.emplace_back(
        "the regions and their nesting, which takes one run of ncu a level");
  }
  if (!asked.plan.instances.takes_all())
    unknown.emplace_back("the launches of the chosen instances");
  if (ncu.budget_s)
    unknown.emplace_back("the measurements that the budget leaves out");
  unknown.push_back(fmt::format("the number of {} and the cost",
                                ranges ? "ranges" : "launches"));
  return fmt::format("not known before the program runs{}: {}",
                     asked.trace.enable ? ", first under the tracer" : "",
                     fmt::join(unknown, "; "));
}

// The plan for an unknown program; nothing runs.
Status PrintPlan(const ProgramQuestion& asked, const CaptureOptions& options,
                 CapturePlan plan, const Console& console) {
  plan.notes = {};  // they are for runs without a known program
  console.Out(PlanText(options, plan));
  console.Out(
      fmt::format("\nabout {} passes for each {}\n{}\n",
                  EstimatePasses(options.ncu, options.ncu.replay_mode),
                  IsRangeMode(options.ncu.replay_mode) ? "range" : "launch",
                  UnknownText(asked)));
  return Ok();
}

void SayPlan(const CaptureOptions& options, const CapturePlan& plan,
             const Console& console) {
  console.SayNotes(plan.notes);
  if (!plan.runs.empty()) console.Detail(PlanText(options, plan));
  if (plan.groundwork.forecast)
    console.Say(ForecastText(*plan.groundwork.forecast));
}

// The results of the runs in range modes, read once more.
std::vector<RunOutcome> RangeOutcomes(const Capture& capture,
                                      const KnownProgram& known) {
  std::vector<RunOutcome> outcomes;
  for (const RunRecord& run : capture.runs) {
    if (!IsRangeMode(run.mode)) continue;
    RunOutcome& outcome = outcomes.emplace_back(RunOutcome{.run = &run});
    if (auto log = ReadFile(run.log); log.ok())
      outcome.log = std::move(log).value();
    if (run.report.empty()) continue;
    Notes ignored;  // the report adds the same notes
    const std::filesystem::path files[] = {run.report};
    auto profile = ReadArtifacts(files, ignored);
    if (!profile.ok()) continue;
    // One report may have too few of the names to show which part of them is a
    // counter.
    if (known.profile) MergeNamesAs(*known.profile, profile.value());
    outcome.measured = CountRanges(profile.value());
  }
  return outcomes;
}

}  // namespace

Status RunNsysStep(const TargetRun& run, const NsysSettings& settings,
                   bool report) {
  const auto& [options, reporting, dry_run, runner, console] = run;
  NsysOptions nsys = settings;
  nsys.nsys = TRY(FindNsys(runner, nsys.nsys)).string();
  if (dry_run) {
    console.Out(fmt::format("1 run of nsys\n   $ {}\n   $ {}\n\n",
                            ShellQuote(NsysCommand(options, nsys).argv),
                            ShellQuote(NsysExportCommand(options, nsys).argv)));
    return Ok();
  }
  const InterruptGuard guard;  // nothing is lost between two runs
  const auto program = runner.Find(options.program.front());
  TRY(WriteProvenance(options, program.value_or(options.program.front()), "",
                      "", runner));
  console.Say("running the program under Nsight Systems");
  const NsysCapture capture = TRY(RunNsys(options, nsys, runner));
  if (capture.exported && (options.rank || capture.failure || report))
    TRY(ReportCapture(run, true));
  if (capture.failure) return *capture.failure;
  return Ok();
}

Status RunNcuStep(const TargetRun& run, const ProgramQuestion& asked,
                  const RollupOptions& rollup) {
  const InterruptGuard guard;  // nothing is lost between two runs
  ProcessRunner& runner = run.runner;
  const Listener listener = run.console.listener();

  // The request, and whether this machine supports it.
  Notes notes;
  CaptureOptions options = run.options;
  TRY(AddNcu(asked.plan.ncu, rollup, options, notes));
  ReadyCapture ready;
  if (!run.dry_run) {
    TRY(CheckOptions(options.ncu, runner));
    ready = TRY(PrepareCapture(options, runner));
  }

  // The plan: a function of the request and of the known program.
  KnownProgram known;
  if (!run.dry_run)
    known = TRY(LookAtProgram(asked, options, runner, listener, notes));
  CapturePlan plan = TRY(MakeProfilePlan(asked.plan, known, options));
  if (run.dry_run) return PrintPlan(asked, options, plan, run.console);
  notes.Merge(plan.notes);
  plan.notes = std::move(notes);
  SayPlan(options, plan, run.console);

  // From here on there are no decisions: the plan is run, judged, stored and
  // reported.
  Capture capture =
      TRY(RunCapture(ready, options, plan, runner,
                     ShowProgress(listener, plan.groundwork.forecast)));
  NoteLostRanges(plan, RangeOutcomes(capture, known), capture.notes);
  CheckForecast(capture, capture.notes);
  TRY(WriteManifest(options, capture));

  TRY(ReportCapture(run, true));
  if (capture.failure) return *capture.failure;
  return Ok();
}

Status RunKernelListStep(const TargetRun& run, const NcuSettings& ncu,
                         const RollupOptions& rollup) {
  Notes notes;
  const std::vector<RankedKernel> kernels = TRY(KernelsToProfile(ncu));
  const NcuSettings asked = NcuForKernels(ncu);
  CaptureOptions options = run.options;
  TRY(AddNcu(asked, rollup, options, notes));
  TRY(SetNvtxFilters(asked, nullptr, options.ncu, notes));
  TRY(SetKernelLaunches(asked, options.ncu));
  TRY(CheckStarts(options.launcher, kernels.size()));
  if (run.dry_run) {
    for (const RankedKernel& kernel : kernels)
      run.console.Out(TRY(KernelPlanText(options, kernel)));
    return Ok();
  }
  run.console.SayNotes(notes);
  const Listener listener = run.console.listener();
  const Capture capture =
      TRY(RunKernels(asked, options, kernels, run.runner, listener));
  TRY(ReportCapture(run, false));
  run.console.Say(
      fmt::format("{} of {} kernels measured",
                  std::ranges::count(capture.runs, true, &RunRecord::used),
                  kernels.size()));
  if (capture.failure) return *capture.failure;
  return Ok();
}

}  // namespace rangefinder
