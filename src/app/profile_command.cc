#include "app/profile_command.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "app/capture_settings.h"
#include "app/collection.h"
#include "app/lost_ranges.h"
#include "app/nvtx_filters.h"
#include "app/profile_plan.h"
#include "app/run_report.h"
#include "app/standard_input.h"
#include "app/traced_run.h"
#include "capture/capture.h"
#include "capture/machine.h"
#include "capture/manifest.h"
#include "capture/ncu_options.h"
#include "capture/plan.h"
#include "capture/rank.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

ProgressCallback ShowProgress(const Console& console) {
  return [&console](const Progress& progress) {
    console.Progress(ProgressText(progress));
  };
}

// Where there is no trace to plan range modes by: a capture of its own, beside
// the one that was asked for.
Result<std::optional<Profile>> DiscoverByNcu(const CaptureOptions& options,
                                             ProcessRunner& runner,
                                             const Console& console,
                                             Notes& notes) {
  CaptureOptions discovery = DiscoveryOptions(options);
  discovery.run_dir = options.run_dir / "discovery";
  console.Say(
      "finding the regions with ncu first: one run that measures time alone");
  const StandardInput input;
  const Capture capture = TRY(RunCapture(discovery, PlanCapture(discovery, {}),
                                         runner, ShowProgress(console)));
  input.ReadAgain();
  if (capture.failure && capture.artifacts().empty()) return *capture.failure;
  if (capture.artifacts().empty()) return std::optional<Profile>();
  Notes reading;
  Profile profile = TRY(ReadArtifacts(capture.artifacts(), reading));
  notes.Merge(reading);
  return std::optional<Profile>(std::move(profile));
}

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
  if (!help.ok() || !version.ok()) return Ok();  // the run itself will say why
  return CheckInstalledNcu(ncu.options, help.out, version.out);
}

Result<CaptureOptions> OptionsFor(const Settings& settings,
                                  const std::vector<std::string>& program,
                                  Notes& notes) {
  Notes later;  // with the regions known they may be others
  NvtxFilters filters = TRY(MakeNvtxFilters(settings.ncu, nullptr, later));
  std::vector<std::string> argv = TRY(ProgramToRun(program, settings));
  CaptureOptions options = TRY(MakeCaptureOptions(
      settings, std::move(argv), filters.include, filters.exclude));
  options.ncu.metrics = CollectedMetrics(settings.ncu, notes, settings.rollup);
  return options;
}

struct Knowledge {
  KnownProgram known{};
  std::optional<Error> failure{};  // interrupted
};

// Counts the program's runs in `options`.
Result<Knowledge> LookAtProgram(const Settings& settings,
                                CaptureOptions& options, bool dry_run,
                                ProcessRunner& runner, const Console& console,
                                Notes& notes) {
  Knowledge knowledge;
  const bool needed = NeedsToKnow(settings);
  if (options.launcher.starts_once) {
    if (!settings.trace.enable && !needed) return knowledge;
    knowledge.known.trace = TraceRecord{
        .status = "none", .mode = settings.trace.mode, .why = kMpiOnce};
    notes.Add(Severity::kWarning, "not_traced",
              fmt::format("the program was not traced before it was profiled: "
                          "{}",
                          kMpiOnce));
    return knowledge;
  }
  if (settings.trace.enable && (needed || !dry_run)) {
    TracerRun traced =
        RunTraced(options, settings.trace, runner, console, notes);
    ++options.earlier_runs;
    knowledge.known = {.profile = std::move(traced.profile),
                       .trace = std::move(traced.record)};
    if (traced.failure && traced.failure->code() == ErrorCode::kInterrupted) {
      knowledge.failure = std::move(traced.failure);
      return knowledge;
    }
    // It may fail because of the tracer, and if not, what it does until then
    // can be measured.
    if (traced.failure) {
      notes.Add(Severity::kWarning, "failed_under_tracer",
                traced.failure->message());
    }
  }
  if (!knowledge.known.profile && IsRangeMode(options.ncu.replay_mode)) {
    knowledge.known.profile =
        TRY(DiscoverByNcu(options, runner, console, notes));
    ++options.earlier_runs;
  }
  return knowledge;
}

Status PrintPlan(const CaptureOptions& options, const CapturePlan& plan,
                 const Console& console) {
  console.Out(TRY(PlanText(options, plan)));
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
  Notes notes;
  CaptureOptions options = TRY(OptionsFor(settings, program, notes));
  ReadyCapture ready;
  if (!dry_run) {
    TRY(CheckOptions(options.ncu, runner));
    ready = TRY(PrepareCapture(options, runner));
  }
  Knowledge knowledge =
      TRY(LookAtProgram(settings, options, dry_run, runner, console, notes));
  CapturePlan plan;
  if (knowledge.failure) {
    plan.groundwork = {.trace = std::move(knowledge.known.trace),
                       .failure = std::move(knowledge.failure)};
  } else {
    plan = TRY(MakeProfilePlan(settings, knowledge.known, options));
  }
  notes.Merge(plan.notes);
  plan.notes = std::move(notes);
  if (dry_run) {
    if (plan.groundwork.failure) return *plan.groundwork.failure;
    return PrintPlan(options, plan, console);
  }
  console.SayNotes(plan.notes);
  if (!plan.runs.empty()) console.Detail(TRY(PlanText(options, plan)));
  if (plan.groundwork.forecast)
    console.Say(ForecastText(*plan.groundwork.forecast));

  Capture capture =
      TRY(RunCapture(ready, options, plan, runner, ShowProgress(console)));
  NoteLostRanges(capture, plan, capture.notes);
  CheckForecast(capture, capture.notes);
  TRY(WriteManifest(options, capture));

  TRY(ReportCapture(options, settings, console));
  if (capture.failure) return *capture.failure;
  return Ok();
}

}  // namespace rangefinder
