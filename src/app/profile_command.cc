#include "app/profile_command.h"

#include <filesystem>

#include <fmt/format.h>

#include "app/capture_settings.h"
#include "app/known_program.h"
#include "app/run_report.h"
#include "base/file.h"
#include "capture/capture.h"
#include "capture/machine.h"
#include "capture/manifest.h"
#include "capture/ncu.h"
#include "capture/ncu_options.h"
#include "ingest/reader.h"
#include "plan/lost_ranges.h"
#include "plan/profile_plan.h"
#include "region/merged_names.h"

namespace rangefinder {
namespace {

// Asks the installed ncu which options it has: one that it lacks is said before
// anything runs, and not by ncu half way.
Status CheckOptions(const NcuOptions& ncu, ProcessRunner& runner) {
  const std::filesystem::path path = TRY(FindNcu(runner, ncu.ncu));
  const auto ask = [&](const char* option) {
    return runner.Run({.argv = {path.string(), option},
                       .out = Command::Output::kCapture,
                       .err = Command::Output::kCapture});
  };
  const Finished help = TRY(ask("--help"));
  const Finished version = TRY(ask("--version"));
  for (const Finished* answer : {&help, &version}) {
    if (answer->ending != Ending::kInterrupted) continue;
    return Error(ErrorCode::kInterrupted,
                 "interrupted while ncu was asked for its options");
  }
  if (!help.ok() || !version.ok()) return Ok();  // the run itself will say why
  return CheckInstalledNcu(ncu.options, help.out, version.out);
}

Status PrintPlan(const CaptureOptions& options, const CapturePlan& plan,
                 const Console& console) {
  if (plan.groundwork.failure) return *plan.groundwork.failure;
  console.Out(TRY(PlanText(options, plan)));
  if (plan.runs.empty()) return Ok();
  if (plan.groundwork.forecast) {
    console.Out(fmt::format("\n{}\n", ForecastText(*plan.groundwork.forecast)));
  } else {
    console.Out(fmt::format(
        "\nabout {} passes for each of what is measured; how much that is, is "
        "known after the run under the tracer\n",
        EstimatePasses(options.ncu, options.ncu.replay_mode)));
  }
  return Ok();
}

Status SayPlan(const CaptureOptions& options, const CapturePlan& plan,
               const Console& console) {
  console.SayNotes(plan.notes);
  if (!plan.runs.empty()) console.Detail(TRY(PlanText(options, plan)));
  if (plan.groundwork.forecast)
    console.Say(ForecastText(*plan.groundwork.forecast));
  return Ok();
}

// What the runs in range modes left, read for it.
std::vector<RunOutcome> RangeOutcomes(const Capture& capture,
                                      const KnownProgram& known) {
  std::vector<RunOutcome> outcomes;
  for (const RunRecord& run : capture.runs) {
    if (!IsRangeMode(run.mode)) continue;
    RunOutcome& outcome = outcomes.emplace_back(RunOutcome{.run = &run});
    if (auto log = ReadFile(run.log); log.ok())
      outcome.log = std::move(log).value();
    if (run.report.empty()) continue;
    Notes ignored;  // reading it for the report says the same
    const std::filesystem::path files[] = {run.report};
    auto profile = ReadArtifacts(files, ignored);
    if (!profile.ok()) continue;
    // A part of the names alone may not look like a counter.
    if (known.profile) MergeNamesAs(*known.profile, profile.value());
    outcome.measured = CountRanges(profile.value());
  }
  return outcomes;
}

// What was captured is reported first, whatever else went wrong.
Status ReportCapture(const CaptureOptions& options, const Settings& settings,
                     const Console& console) {
  if (options.rank) {
    // Every rank writes into this folder; the last one reports them all.
    console.Say(fmt::format("rank {} is captured", options.rank->rank));
    return Ok();
  }
  return ReportRunDirectory(options.run_dir, true, settings, console);
}

}  // namespace

Status RunProfile(const Settings& settings,
                  const std::vector<std::string>& program, bool dry_run,
                  ProcessRunner& runner, const Console& console) {
  const InterruptGuard guard;  // nothing is lost between two runs

  // What was asked, and whether this machine can do it.
  Notes notes;
  CaptureOptions options = TRY(CaptureOptionsOf(settings, program, notes));
  ReadyCapture ready;
  if (!dry_run) {
    TRY(CheckOptions(options.ncu, runner));
    ready = TRY(PrepareCapture(options, runner));
  }

  // What is to be run: a function of what was asked and of what is known.
  const KnownProgram known =
      TRY(LookAtProgram(settings, options, dry_run, runner, console, notes));
  CapturePlan plan =
      TRY(MakeProfilePlan(PlanRequestOf(settings), known, options));
  notes.Merge(plan.notes);
  plan.notes = std::move(notes);
  if (dry_run) return PrintPlan(options, plan, console);
  TRY(SayPlan(options, plan, console));

  // Beyond this point nothing is decided: it is run, judged, kept and reported.
  Capture capture =
      TRY(RunCapture(ready, options, plan, runner,
                     ShowProgress(console, plan.groundwork.forecast)));
  NoteLostRanges(plan, RangeOutcomes(capture, known), capture.notes);
  CheckForecast(capture, capture.notes);
  TRY(WriteManifest(options, capture));

  TRY(ReportCapture(options, settings, console));
  if (capture.failure) return *capture.failure;
  return Ok();
}

}  // namespace rangefinder
