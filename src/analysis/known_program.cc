#include "analysis/known_program.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "analysis/traced_runs.h"
#include "base/write_file.h"
#include "capture/cost.h"
#include "capture/ncu.h"
#include "capture/ncu_messages.h"
#include "capture/plan.h"
#include "capture/progress.h"
#include "capture/rank.h"
#include "capture/target.h"
#include "capture/tracer.h"
#include "ingest/reader.h"
#include "plan/counter_plan.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// ---- The run under the tracer ----

// Whether ncu accepts any exit status of the program.
bool AnyStatusWillDo(const NcuOptions& ncu) {
  const std::string word = FirstWord(ncu, "check_exit_code");
  return word == "no" || word == "off" || word == "0" || word == "false";
}

std::optional<Error> FailureOf(const Finished& program, const NcuOptions& ncu) {
  if (program.ending == Ending::kInterrupted) {
    return Error(
        ErrorCode::kInterrupted,
        "interrupted while the program ran under the tracer; the report "
        "has the run until then, and ncu was not started");
  }
  if (program.status == 0) return std::nullopt;
  if (program.signal == 0 && AnyStatusWillDo(ncu)) return std::nullopt;
  std::string what =
      fmt::format("the program failed with code {}",
                  program.signal != 0 ? 128 + program.signal : program.status);
  if (program.signal != 0)
    what += fmt::format(" ({})", ::strsignal(program.signal));
  return Error(
      ErrorCode::kTarget,
      Explained(what + " in its run under the tracer; ncu runs it all the same",
                "it ended so by itself, or does not bear the tracer",
                "if only the tracer makes it fail, leave that out with "
                "pipeline.trace.enable=false"));
}

bool HasKernels(const Profile& profile) {
  return std::ranges::any_of(profile.measurements, [](const Measurement& m) {
    return m.kind == MeasurementKind::kKernel;
  });
}

// The reason why a trace has ranges only, from the notes of its reader.
std::string WhyNoKernels(const Notes& reading, const std::string& mode) {
  for (const Note& note : reading.all()) {
    if (note.kind == "no_gpu_activity" || note.kind == "tracer_off")
      return note.text;
  }
  if (mode == "regions") return "pipeline.trace.mode=regions traces none";
  return "the program launched none that the tracer saw";
}

// Once a second: the duration of the program itself is unknown.
std::function<void(double)> ShowTracing(const Listener& listener) {
  return [&listener, shown = -1](double seconds) mutable {
    const int now = static_cast<int>(seconds);
    if (now == shown) return;
    shown = now;
    listener.progress(fmt::format("running under the tracer, {} so far",
                                  DurationText(seconds)));
  };
}

// Runs the program, and reads its traces into `run` if it did not fail; not if
// they have no kernel, since only regions with kernels can be measured. Error:
// the program could not be run, or its traces not be read.
Status Trace(const CaptureOptions& options, const TraceSettings& trace,
             const std::optional<SamplingPlan>& sampling, ProcessRunner& runner,
             const Listener& listener, KnownProgram& run, Notes& reading) {
  const auto check = [&](const Finished& program) -> Status {
    if (auto failure = FailureOf(program, options.ncu)) return *failure;
    return Ok();
  };
  const StandardInput input;
  // The first run decides: its trace is the one for planning.
  Status last = Ok();
  const TracerOutcome traced = TRY(RunUnderTracer(
      {.options = options, .trace = trace, .on_tick = ShowTracing(listener)},
      sampling, check, runner, listener, last));
  input.ReadAgain();
  listener.progress("");
  run.failure = FailureOf(traced.program, options.ncu);
  run.trace->seconds = traced.program.seconds;
  run.trace->files = traced.traces;
  if (run.failure || run.trace->files.empty()) return Ok();
  Profile profile = TRY(ReadArtifacts(run.trace->files, reading));
  if (HasKernels(profile)) run.profile = std::move(profile);
  return Ok();
}

// Runs the program of `options` once, with its trace in RUN/trace, and with
// samples of counters if `sampling` has any. A failed trace is a note and no
// failure.
KnownProgram RunTraced(const CaptureOptions& options,
                       const TraceSettings& trace,
                       const std::optional<SamplingPlan>& sampling,
                       ProcessRunner& runner, const Listener& listener,
                       Notes& notes) {
  KnownProgram run;
  TraceRecord& record =
      run.trace.emplace(TraceRecord{.status = "none", .mode = trace.mode});
  const auto without = [&](std::string why) {
    notes.Add(Severity::kInfo, "not_traced",
              "the program was not traced before it was profiled: " + why);
    listener.detail("not traced: " + why);
    record.why = std::move(why);
  };
  if (!StandardInput().CanBeReadAgain()) {
    without("its standard input is a pipe, which can be read only once");
    return run;
  }
  listener.say(
      "running the program under the tracer first: regions, launches, and "
      "times without replay");
  Notes reading;  // the report reads the traces again, with its own notes
  const Status status =
      Trace(options, trace, sampling, runner, listener, run, reading);
  if (!status.ok()) {
    record = {.status = "none", .mode = trace.mode};
    without(status.error().message());
  } else if (run.failure) {
    record.status = "failed";
    const std::string& message = run.failure->message();
    record.why = message.substr(0, message.find('\n'));
  } else if (record.files.empty()) {
    without(
        "it called neither NVTX nor CUDA where the tracer could see it (static "
        "programs and setuid programs cannot be traced)");
  } else {
    record.status = "ok";
    if (run.profile) return run;
    record.mode = "regions";
    record.why = WhyNoKernels(reading, trace.mode);
    notes.Add(Severity::kInfo, "no_kernels_traced",
              "the trace has ranges and no kernels: " + record.why);
  }
  return run;
}

// ---- Other sources ----

// Plans of range modes without a trace need a separate capture before the
// requested one.
Result<std::optional<Profile>> DiscoverByNcu(const CaptureOptions& options,
                                             ProcessRunner& runner,
                                             const Listener& listener,
                                             Notes& notes) {
  CaptureOptions discovery = DiscoveryOptions(options);
  discovery.run_dir = options.run_dir / "discovery";
  TRY(MakeFolderBelow(options.run_dir, "discovery"));
  listener.say(
      "finding the regions with ncu first: one run that measures time alone");
  const StandardInput input;
  const Capture capture = TRY(RunCapture(discovery, PlanCapture(discovery),
                                         runner, ShowProgress(listener)));
  input.ReadAgain();
  if (capture.failure && capture.artifacts().empty()) return *capture.failure;
  if (capture.artifacts().empty()) return std::optional<Profile>();
  Notes reading;
  Profile profile = TRY(ReadArtifacts(capture.artifacts(), reading));
  notes.Merge(reading);
  return std::optional<Profile>(std::move(profile));
}

// An MPI program under a launcher can run only once: that is the run of ncu.
KnownProgram StartedOnce(const TraceSettings& trace, Notes& notes) {
  notes.Add(Severity::kWarning, "not_traced",
            fmt::format("the program was not traced before it was profiled: "
                        "{}",
                        kMpiOnce));
  return {.trace = TraceRecord{
              .status = "none", .mode = trace.mode, .why = kMpiOnce}};
}

Result<KnownProgram> TraceProgram(const ProgramQuestion& asked,
                                  const CaptureOptions& options,
                                  ProcessRunner& runner,
                                  const Listener& listener, Notes& notes) {
  const std::optional<SamplingPlan> sampling =
      TRY(PlanSampling(asked.counters, asked.trace));
  KnownProgram known =
      RunTraced(options, asked.trace, sampling, runner, listener, notes);
  if (known.failure && known.failure->code() != ErrorCode::kInterrupted) {
    // The tracer may be the reason; otherwise ncu measures the program up to
    // its failure.
    notes.Add(Severity::kWarning, "failed_under_tracer",
              known.failure->message());
    known.failure.reset();
  }
  return known;
}

}  // namespace

Result<KnownProgram> LookAtProgram(const ProgramQuestion& asked,
                                   CaptureOptions& options,
                                   ProcessRunner& runner,
                                   const Listener& listener, Notes& notes) {
  KnownProgram known;
  if (options.launcher.starts_once) {
    if (asked.trace.enable || NeedsToKnow(asked.plan))
      known = StartedOnce(asked.trace, notes);
    return known;
  }
  if (asked.trace.enable) {
    known = TRY(TraceProgram(asked, options, runner, listener, notes));
    ++options.earlier_runs;
  }
  if (!known.failure && !known.profile &&
      IsRangeMode(options.ncu.replay_mode)) {
    known.profile = TRY(DiscoverByNcu(options, runner, listener, notes));
    ++options.earlier_runs;
  }
  if (known.profile) {
    MergeNames(TRY(NameMerging::Make(asked.merge)), *known.profile);
  }
  return known;
}

}  // namespace rangefinder
