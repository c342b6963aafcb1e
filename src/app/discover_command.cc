#include "app/discover_command.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/analysis.h"
#include "app/counting_run.h"
#include "app/program.h"
#include "app/report_settings.h"
#include "app/run_report.h"
#include "app/sampling_plan.h"
#include "app/standard_input.h"
#include "base/text.h"
#include "base/write_file.h"
#include "capture/rank.h"
#include "capture/tracer.h"
#include "ingest/reader.h"

namespace rangefinder {

namespace {

namespace fs = std::filesystem;

// The traces of this run as `report` of its directory finds them: the same
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

Status ReportTraces(const TracerOutcome& outcome,
                    const std::filesystem::path& run_dir,
                    const Settings& settings, const Console& console) {
  const auto analysis =
      outcome.traces.empty()
          ? EmptyAnalysis()
          : TRY(Analyze(AsReportFindsThem(outcome.traces, run_dir),
                        settings.analysis));
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

Result<TracerOutcome> RunSet(const Settings& settings,
                             const ProgramToStart& start,
                             const std::optional<SamplingPlan>& plan,
                             std::size_t set, ProcessRunner& runner) {
  std::optional<SampleRequest> samples;
  if (plan) samples = RequestOf(*plan, set);
  TRY(MakeFolderBelow(settings.run_dir, "trace"));
  return RunTracer({.program = start.argv,
                    .trace_dir = fs::path(settings.run_dir) / "trace",
                    .mode = settings.trace.mode,
                    .samples = std::move(samples),
                    .cwd = start.cwd},
                   std::getenv, runner);
}

Status StatusOf(const Finished& program) {
  if (program.ending == Ending::kInterrupted)
    return Error(ErrorCode::kInterrupted,
                 "interrupted; what the program did until then is reported");
  if (program.status != 0) {
    return Error(
        ErrorCode::kTarget,
        fmt::format("the program ended with status {}", program.status));
  }
  return Ok();
}

// Runs the program once for each set of counters that the plan has, without one
// once, then once more where `counted` says what to count, and reports.
Status RunAndReport(const Settings& settings,
                    const std::vector<std::string>& program,
                    const std::optional<SamplingPlan>& plan,
                    const std::optional<CountedMetrics>& counted,
                    ProcessRunner& runner, const Console& console) {
  const ProgramToStart start = TRY(ProgramToRun(program, settings));
  const fs::path run_dir(settings.run_dir);
  TRY(WriteBelow(run_dir, "config.yaml", settings.config_yaml));
  const StandardInput input;
  const std::size_t sets = plan ? plan->sets.size() : 1;
  TracerOutcome outcome = TRY(RunSet(settings, start, plan, 0, runner));
  Status status = StatusOf(outcome.program);
  for (std::size_t set = 1; set < sets && status.ok(); ++set) {
    if (!input.CanBeReadAgain()) {
      console.Say(fmt::format(
          "{} of {} sets of counters are left out: the standard input is a "
          "pipe, which can be read only once",
          sets - set, sets));
      break;
    }
    input.ReadAgain();
    console.Say(fmt::format("run {} of {}: {}", set + 1, sets,
                            fmt::join(plan->sets[set], ", ")));
    TracerOutcome more = TRY(RunSet(settings, start, plan, set, runner));
    status = StatusOf(more.program);
    std::ranges::move(more.traces, std::back_inserter(outcome.traces));
  }
  const bool counters = plan || counted;
  if (status.ok() && counters) {
    status =
        CountToo(settings, start, input, counted, runner, console, outcome);
  }
  // Of a job's ranks the last reports all: app/rank_report.h.
  if (!DetectRank(std::getenv))
    TRY(ReportTraces(outcome, run_dir, settings, console));
  return status;
}

}  // namespace

namespace {

// What is to be counted is known after the run under the tracer.
Status PrintCounting(const Settings& settings,
                     const std::vector<std::string>& program,
                     const CountedMetrics& counted, ProcessRunner& runner,
                     const Console& console) {
  const ProgramToStart start = TRY(ProgramToRun(program, settings));
  const TracerOutcome outcome =
      TRY(RunSet(settings, start, std::nullopt, 0, runner));
  TRY(StatusOf(outcome.program));
  const CountingPlan plan = TRY(PlanCountingRun(settings, counted, outcome));
  console.SayNotes(plan.notes);
  console.Out(CountingText(plan) + "\n" + CountingTable(plan));
  return Ok();
}

}  // namespace

Status RunDiscover(const Settings& settings,
                   const std::vector<std::string>& program,
                   ProcessRunner& runner, const Console& console) {
  return RunAndReport(settings, program, std::nullopt, std::nullopt, runner,
                      console);
}

Status RunWithoutProfiler(const Settings& settings,
                          const std::vector<std::string>& program, bool dry_run,
                          ProcessRunner& runner, const Console& console) {
  const std::optional<SamplingPlan> plan = TRY(PlanSampling(settings));
  const bool counts =
      settings.counters.is(CounterMode::kCount) && settings.trace.has_kernels();
  std::optional<CountedMetrics> counted;
  if (counts || (plan && settings.counters.check))
    counted = TRY(MetricsToCount(settings));
  const std::string what =
      plan     ? "regions, times, kernels and " + SamplingText(*plan)
      : counts ? "regions, times and kernels; then once more, to count in "
                 "chosen instances of them"
               : "regions, times and kernels; no counters";
  const std::string more =
      "for single kernels in depth: pipeline.ncu.enable=true, or a preset such "
      "as profiling/ncu@pipeline.ncu=ncu.regions (Nsight Compute, one pass a "
      "kernel)";
  if (dry_run && counts)
    return PrintCounting(settings, program, *counted, runner, console);
  if (dry_run) {
    const auto argv = TRY(ProgramToRun(program, settings)).argv;
    console.Out(fmt::format("{} run{} under the tracer: {}\n   $ {}\n\n{}\n",
                            plan ? plan->sets.size() : 1,
                            plan && plan->sets.size() > 1 ? "s" : "", what,
                            ShellQuote(argv), more));
    return Ok();
  }
  console.Say(fmt::format("running the program{}: {}",
                          plan && plan->sets.size() > 1 ? "" : " once", what));
  const Status status =
      RunAndReport(settings, program, plan, counted, runner, console);
  console.Say(more);
  return status;
}

}  // namespace rangefinder
