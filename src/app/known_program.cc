#include "app/known_program.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/standard_input.h"
#include "app/traced_run.h"
#include "base/write_file.h"
#include "capture/plan.h"
#include "capture/progress.h"
#include "capture/rank.h"
#include "ingest/reader.h"
#include "region/merged_names.h"

namespace rangefinder {
namespace {

// Where there is no trace to plan range modes by: a capture of its own, beside
// the one that was asked for.
Result<std::optional<Profile>> DiscoverByNcu(const CaptureOptions& options,
                                             ProcessRunner& runner,
                                             const Console& console,
                                             Notes& notes) {
  CaptureOptions discovery = DiscoveryOptions(options);
  discovery.run_dir = options.run_dir / "discovery";
  TRY(MakeFolderBelow(options.run_dir, "discovery"));
  console.Say(
      "finding the regions with ncu first: one run that measures time alone");
  const StandardInput input;
  const Capture capture = TRY(RunCapture(discovery, PlanCapture(discovery),
                                         runner, ShowProgress(console)));
  input.ReadAgain();
  if (capture.failure && capture.artifacts().empty()) return *capture.failure;
  if (capture.artifacts().empty()) return std::optional<Profile>();
  Notes reading;
  Profile profile = TRY(ReadArtifacts(capture.artifacts(), reading));
  notes.Merge(reading);
  return std::optional<Profile>(std::move(profile));
}

// An MPI program that a launcher started runs once, and that is ncu's run.
KnownProgram StartedOnce(const TraceSettings& trace, Notes& notes) {
  notes.Add(Severity::kWarning, "not_traced",
            fmt::format("the program was not traced before it was profiled: "
                        "{}",
                        kMpiOnce));
  return {.trace = TraceRecord{
              .status = "none", .mode = trace.mode, .why = kMpiOnce}};
}

Result<KnownProgram> TraceProgram(const Settings& settings,
                                  const CaptureOptions& options,
                                  ProcessRunner& runner, const Console& console,
                                  Notes& notes) {
  const std::optional<SamplingPlan> sampling = TRY(PlanSampling(settings));
  TracerRun traced =
      RunTraced(options, settings.trace, sampling, runner, console, notes);
  KnownProgram known{.profile = std::move(traced.profile),
                     .trace = std::move(traced.record)};
  if (!traced.failure) return known;
  if (traced.failure->code() == ErrorCode::kInterrupted) {
    known.failure = std::move(traced.failure);
  } else {
    // It may fail because of the tracer, and if not, what it does until then
    // can be measured.
    notes.Add(Severity::kWarning, "failed_under_tracer",
              traced.failure->message());
  }
  return known;
}

}  // namespace

PlanRequest PlanRequestOf(const Settings& settings) {
  return {.ncu = settings.ncu,
          .instances = settings.regions.instances,
          .kernels_chosen = !settings.regions.kernels_include.empty() ||
                            !settings.regions.kernels_exclude.empty()};
}

ProgressCallback ShowProgress(const Console& console,
                              std::optional<Forecast> forecast) {
  return [&console, pace = std::make_shared<Pace>(std::move(forecast))](
             const Progress& progress) {
    pace->See(progress);
    console.Progress(console.live() ? PaceLine(*pace, console.unicode())
                                    : PaceText(*pace));
  };
}

Result<KnownProgram> LookAtProgram(const Settings& settings,
                                   CaptureOptions& options, bool dry_run,
                                   ProcessRunner& runner,
                                   const Console& console, Notes& notes) {
  const bool needed = NeedsToKnow(PlanRequestOf(settings));
  KnownProgram known;
  if (options.launcher.starts_once) {
    if (settings.trace.enable || needed)
      known = StartedOnce(settings.trace, notes);
    return known;
  }
  if (settings.trace.enable && (needed || !dry_run)) {
    known = TRY(TraceProgram(settings, options, runner, console, notes));
    ++options.earlier_runs;
  }
  if (!known.failure && !known.profile &&
      IsRangeMode(options.ncu.replay_mode)) {
    known.profile = TRY(DiscoverByNcu(options, runner, console, notes));
    ++options.earlier_runs;
  }
  if (known.profile) {
    MergeNames(TRY(NameMerging::Make(settings.regions.merge)), *known.profile);
  }
  return known;
}

}  // namespace rangefinder
