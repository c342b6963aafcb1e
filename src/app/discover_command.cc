#include "app/discover_command.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "analysis/analysis.h"
#include "app/program.h"
#include "app/report_settings.h"
#include "app/run_report.h"
#include "app/sampling_plan.h"
#include "base/file.h"
#include "base/text.h"
#include "capture/rank.h"
#include "capture/tracer.h"

namespace rangefinder {

namespace {

Status ReportTraces(const TracerOutcome& outcome,
                    const std::filesystem::path& run_dir,
                    const Settings& settings, const Console& console) {
  const auto analysis =
      outcome.traces.empty()
          ? EmptyAnalysis()
          : TRY(Analyze(outcome.traces, AnalysisOptionsOf(settings)));
  if (outcome.traces.empty()) {
    analysis->notes.Add(
        Severity::kWarning, "no_trace",
        "the program called neither NVTX nor CUDA, so there is nothing to show "
        "(static programs and such with another user's rights cannot be "
        "traced)");
  }
  return ReportAnalysis(*analysis, run_dir, true, settings, console);
}

}  // namespace

namespace {

// Runs the program once, with samples of its counters where `samples` says
// which, and reports.
Status RunOnce(const Settings& settings,
               const std::vector<std::string>& program,
               std::optional<SampleRequest> samples, ProcessRunner& runner,
               const Console& console) {
  const ProgramToStart start = TRY(ProgramToRun(program, settings));
  const std::filesystem::path run_dir(settings.run_dir);
  TRY(MakeDirectories(run_dir));
  TRY(WriteFile(run_dir / "config.yaml", settings.config_yaml));
  const TracerOutcome outcome = TRY(RunTracer({.program = start.argv,
                                               .trace_dir = run_dir / "trace",
                                               .mode = settings.trace.mode,
                                               .samples = std::move(samples),
                                               .cwd = start.cwd},
                                              std::getenv, runner));
  // Of a job's ranks the last reports all: app/rank_report.h.
  if (!DetectRank(std::getenv))
    TRY(ReportTraces(outcome, run_dir, settings, console));
  if (outcome.program.ending == Ending::kInterrupted)
    return Error(ErrorCode::kInterrupted,
                 "interrupted; what the program did until then is reported");
  if (outcome.program.status != 0) {
    return Error(ErrorCode::kTarget,
                 fmt::format("the program ended with status {}",
                             outcome.program.status));
  }
  return Ok();
}

}  // namespace

Status RunDiscover(const Settings& settings,
                   const std::vector<std::string>& program,
                   ProcessRunner& runner, const Console& console) {
  return RunOnce(settings, program, std::nullopt, runner, console);
}

Status RunWithoutProfiler(const Settings& settings,
                          const std::vector<std::string>& program, bool dry_run,
                          ProcessRunner& runner, const Console& console) {
  const std::optional<SamplingPlan> plan = TRY(PlanSampling(settings));
  const std::string what =
      plan ? "regions, times, kernels and " + SamplingText(*plan)
           : "regions, times and kernels; no counters";
  const std::string more =
      "for single kernels in depth: pipeline.ncu.enable=true, or a preset such "
      "as profiling/ncu@pipeline.ncu=ncu.regions (Nsight Compute, one pass a "
      "kernel)";
  if (dry_run) {
    const auto argv = TRY(ProgramToRun(program, settings)).argv;
    console.Out(fmt::format("{} run{} under the tracer: {}\n   $ {}\n\n{}\n",
                            plan ? plan->sets.size() : 1,
                            plan && plan->sets.size() > 1 ? "s" : "", what,
                            ShellQuote(argv), more));
    return Ok();
  }
  console.Say("running the program once: " + what);
  std::optional<SampleRequest> samples;
  if (plan)
    samples = {.metrics = plan->sets.front(), .interval_ns = plan->interval_ns};
  const Status status =
      RunOnce(settings, program, std::move(samples), runner, console);
  console.Say(more);
  return status;
}

}  // namespace rangefinder
