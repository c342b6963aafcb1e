#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/traced_runs.h"
#include "app/profile_steps.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/doctor.h"
#include "capture/provenance.h"
#include "capture/target.h"
#include "capture/tracer.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// The traces of this run in the form in which `report` finds them: the same
// order and names give the same bytes.
std::vector<fs::path> AsReportFindsThem(const std::vector<fs::path>& traces,
                                        const fs::path& run_dir) {
  const auto real = [](const fs::path& path) {
    std::error_code error;
    return fs::weakly_canonical(path, error);
  };
  std::set<fs::path> own;
  for (const fs::path& trace : traces) own.insert(real(trace));
  const std::vector<std::string> folder = {run_dir.string()};
  auto found = FindArtifacts(folder);
  if (!found.ok()) return traces;
  std::erase_if(found.value(), [&](const fs::path& file) {
    return !own.contains(real(file));
  });
  return found.value().size() == traces.size() ? std::move(found).value()
                                               : traces;
}

// Names the processes that may hold the counters which could not be sampled or
// counted.
void NameHolders(const Analysis& analysis, const Console& console) {
  const bool not_sampled = std::ranges::any_of(
      analysis.profile.counter_samples, [](const CounterSamples& samples) {
        return samples.size() == 0 && !samples.reason.empty();
      });
  const bool not_counted =
      std::ranges::any_of(analysis.notes.all(), [](const Note& note) {
        return note.kind == "no_counts" && note.severity == Severity::kWarning;
      });
  if (!not_sampled && !not_counted) return;
  const Check others = CheckOtherProfilers("/");
  if (!others.ok)
    console.Say(
        fmt::format("counters are missing, and other profilers run here: {}; "
                    "{}",
                    others.found, others.fix));
}

// `awaited`: "REGION:N" that was to end the window and did not; or empty.
Status ReportTraces(const TargetRun& run, const TracerOutcome& outcome,
                    const std::string& awaited = {}) {
  const fs::path& run_dir = run.options.run_dir;
  const auto analysis =
      outcome.traces.empty()
          ? EmptyAnalysis()
          : TRY(Analyze(AsReportFindsThem(outcome.traces, run_dir),
                        run.reporting.analysis));
  if (outcome.traces.empty()) {
    analysis->profile.gpu_recorded = false;
    analysis->notes.Add(
        Severity::kWarning, "no_trace",
        "the program called neither NVTX nor CUDA, so there is nothing to show "
        "(static programs and setuid programs cannot be traced)");
  }
  NameFiles(run_dir, *analysis);
  NameHolders(*analysis, run.console);
  // No note: the report is a function of the traces, which do not tell.
  if (!awaited.empty())
    run.console.Say(
        fmt::format("warning: the window ended before {}", Printable(awaited)));
  return ReportAnalysis(*analysis, run_dir, true, run.reporting, run.console);
}

Status StatusOf(const Finished& program) {
  if (program.ending == Ending::kInterrupted)
    return Error(ErrorCode::kInterrupted,
                 "interrupted; the report has the run until then");
  if (program.status != 0) {
    return Error(ErrorCode::kTarget, "the program " + EndText(program));
  }
  return Ok();
}

// The counters of RunTracerStep(): samples or exact counts.
struct CounterPlan {
  std::optional<SamplingPlan> sampling{};
  bool counts = false;  // exact counts, in a run of their own
  std::optional<CountedMetrics> counted{};
  bool kernels = true;  // false: ranges alone

  std::string Text() const {
    if (!kernels) return "regions and their times; no GPU work";
    if (sampling)
      return "regions, times, kernels and " + SamplingText(*sampling);
    return counts ? "regions, times and kernels; then once more, to count in "
                    "chosen instances of them"
                  : "regions, times and kernels; no counters";
  }
};

Result<CounterPlan> PlanCounters(const CountingSettings& asked) {
  CounterPlan plan{.kernels = asked.trace.has_kernels()};
  plan.sampling = TRY(PlanSampling(asked.counters, asked.trace));
  plan.counts = asked.counters.is(CounterMode::kCount) && plan.kernels;
  if (plan.counts || (plan.sampling && asked.counters.check))
    plan.counted = TRY(MetricsToCount(asked.counters));
  return plan;
}

// Writes config.yaml, env.json and inputs.yaml before the program starts, so
// that an interrupted run has them. kUsage: there is no such program.
Status KeepProvenance(const CaptureOptions& options, ProcessRunner& runner) {
  const InterruptGuard guard;  // Ctrl-C ends nvidia-smi, and is counted here
  const fs::path program =
      TRY(FindProgram(options.program, options.cwd, runner));
  // One configuration for all ranks, which also have their own.
  TRY(WriteBelow(options.run_dir, "config.yaml", options.config_yaml));
  TRY(WriteProvenance(options, program, "", "", runner));
  if (InterruptGuard::Count() > 0) {
    return Error(ErrorCode::kInterrupted,
                 "interrupted before the program began");
  }
  return Ok();
}

Status RunAndReport(const TargetRun& run, const CountingSettings* asked,
                    const TraceSettings& trace, const CounterPlan& plan) {
  const CaptureOptions& options = run.options;
  TRY(KeepProvenance(options, run.runner));
  const StandardInput input;
  const Listener listener = run.console.listener();
  Status status = Ok();
  TracerOutcome outcome =
      TRY(RunUnderTracer({.options = options, .trace = trace}, plan.sampling,
                         StatusOf, run.runner, listener, status));
  if (status.ok() && (plan.sampling || plan.counted)) {
    const ProgramToStart start{
        .argv = options.program, .cwd = options.cwd, .rank = options.rank};
    status = CountToo(*asked, OnceMore(start, input, run.runner), plan.counted,
                      listener, outcome);
  }
  // The last rank of a job reports all ranks: ReportRank().
  if (!options.rank) TRY(ReportTraces(run, outcome));
  return status;
}

std::string WindowText(const WindowStep& window) {
  std::string text =
      fmt::format("a window in {} process{}", window.processes.size(),
                  window.processes.size() == 1 ? "" : "es");
  if (!window.after.empty()) text += ", after " + window.after;
  if (!window.instances.empty()) text += ", for " + window.instances;
  if (window.seconds > 0)
    text += fmt::format(", {}{:g} s",
                        window.instances.empty() ? "for " : "at most ",
                        window.seconds);
  return text;
}

struct TracedWindow {
  TracerOutcome outcome{};
  bool over = false;  // ended by its instances
};

// Opens a window with the library's settings.
Result<TracedWindow> OpenWindow(
    const TargetRun& run, const WindowStep& window,
    const std::map<std::string, std::string>& settings) {
  const fs::path folder = settings.at("DIR");
  const std::vector<fs::path> before = TraceFilesIn(folder);
  WindowRequest request{.settings = settings, .seconds = window.seconds};
  if (!window.after.empty()) request.settings["AFTER"] = window.after;
  if (!window.instances.empty()) request.settings["UNTIL"] = window.instances;
  const WindowOutcome measured =
      TRY(MeasureWindow(window.processes, request,
                        [&](std::string_view said) { run.console.Say(said); }));
  if (measured.programs_ended)
    run.console.Say("the program ended before the window");
  TracedWindow traced{.outcome = {.traces = NewTraces(folder, before)},
                      .over = measured.over};
  Finished& program = traced.outcome.program;
  program.seconds = measured.seconds;
  if (measured.interrupted) program.ending = Ending::kInterrupted;
  if (measured.programs_ended) program.ending = Ending::kStopped;
  return traced;
}

}  // namespace

Status RunWindowStep(const TargetRun& run, const WindowStep& window,
                     const CountingSettings& asked) {
  const CounterPlan plan = TRY(PlanCounters(asked));
  const auto& sampling = plan.sampling;
  if (sampling && sampling->sets.size() > 1)
    return Error(ErrorCode::kUsage,
                 "pipeline.counters.metrics: they take several passes, and a "
                 "window has one; ask for fewer");
  const std::string text = WindowText(window) + ": " + plan.Text();
  if (run.dry_run) {
    run.console.Out(text + "\n");
    for (const ArmedProcess& one : window.processes)
      run.console.Out(fmt::format("   {}\n", Printable(one.socket.string())));
    return Ok();
  }
  run.console.Say(text);
  const fs::path& run_dir = run.options.run_dir;
  TRY(WriteBelow(run_dir, "config.yaml", run.options.config_yaml));
  TRY(MakeFolderBelow(run_dir, "trace"));
  std::error_code error;
  const fs::path folder = fs::absolute(run_dir / "trace", error);
  TracedWindow traced = TRY(OpenWindow(
      run, window,
      TracerSettings(
          folder, sampling ? "sample" : asked.trace.mode, asked.trace.api,
          sampling ? std::optional(RequestOf(*sampling, 0)) : std::nullopt)));
  TracerOutcome& outcome = traced.outcome;
  // Without delay, and as long as the first.
  Ending ending = outcome.program.ending;
  const auto count = [&](const fs::path& to,
                         const CountRequest& request) -> Result<TracerOutcome> {
    TracedWindow counted = TRY(
        OpenWindow(run,
                   {.processes = window.processes,
                    .seconds = outcome.program.seconds + kCountingStartSeconds},
                   TracerSettings(to, "count", "", std::nullopt, request)));
    ending = counted.outcome.program.ending;
    return std::move(counted.outcome);
  };
  CountingRun again{.least_instances = 2, .run = count};
  if (ending == Ending::kStopped) again.obstacle = "the program has ended";
  Status status = Ok();
  if (plan.counted && ending != Ending::kInterrupted)
    status =
        CountToo(asked, again, plan.counted, run.console.listener(), outcome);
  TRY(ReportTraces(run, outcome, traced.over ? "" : window.instances));
  if (ending == Ending::kInterrupted)
    return Error(ErrorCode::kInterrupted,
                 "interrupted; the report has the window until then");
  return status;
}

Status RunDiscoverStep(const TargetRun& run, const TraceSettings& trace) {
  return RunAndReport(run, nullptr, trace, {});
}

Status RunTracerStep(const TargetRun& run, const CountingSettings& asked) {
  const CounterPlan plan = TRY(PlanCounters(asked));
  const bool several = plan.sampling && plan.sampling->sets.size() > 1;
  const std::string more =
      "for single kernels in depth: pipeline.ncu.enable=true, or a preset such "
      "as profiling/ncu@pipeline.ncu=ncu.regions (Nsight Compute, one pass a "
      "kernel)";
  if (run.dry_run) {
    run.console.Out(fmt::format(
        "{} run{} under the tracer: {}\n   $ {}\n\n{}{}\n",
        several ? plan.sampling->sets.size() : 1, several ? "s" : "",
        plan.Text(), ShellQuote(run.options.program),
        plan.counts ? "not known before the first run: the regions and the "
                      "instances to count\n"
                    : "",
        more));
    return Ok();
  }
  run.console.Say(fmt::format("running the program{}: {}",
                              several ? "" : " once", plan.Text()));
  Status status = RunAndReport(run, &asked, asked.trace, plan);
  run.console.Say(more);
  return status;
}

}  // namespace rangefinder
