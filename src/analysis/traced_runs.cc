#include "analysis/traced_runs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "analysis/kernel_sources.h"
#include "base/write_file.h"
#include "capture/rank.h"
#include "capture/target.h"
#include "ingest/reader.h"
#include "region/merged_names.h"

namespace rangefinder {

namespace {

Result<TracerOutcome> RunOnce(const TracedTarget& target,
                              const std::optional<SamplingPlan>& plan,
                              std::size_t set, ProcessRunner& runner,
                              const Listener& listener) {
  const CaptureOptions& options = target.options;
  std::optional<SampleRequest> samples;
  if (plan) samples = RequestOf(*plan, set);
  TRY(MakeFolderBelow(options.run_dir, "trace"));
  const std::filesystem::path folder = options.run_dir / "trace";
  const bool source = target.trace.source && set == 0;
  TracerOutcome outcome = TRY(RunTracer({.program = options.program,
                                         .trace_dir = folder,
                                         .mode = target.trace.mode,
                                         .api = target.trace.api,
                                         .source = source,
                                         .samples = std::move(samples),
                                         .cwd = options.cwd,
                                         .rank = options.rank,
                                         .on_tick = target.on_tick},
                                        std::getenv, runner));
  if (source) {
    // Without the sources, the trace is still useful.
    if (const Status kept = KeepKernelSources(folder); !kept.ok()) {
      listener.say("the lines of the model are not known: " +
                   kept.error().message());
    }
  }
  return outcome;
}

}  // namespace

Result<TracerOutcome> RunUnderTracer(
    const TracedTarget& target, const std::optional<SamplingPlan>& plan,
    const std::function<Status(const Finished&)>& check, ProcessRunner& runner,
    const Listener& listener, Status& status) {
  const StandardInput input;
  const std::size_t sets = plan ? plan->sets.size() : 1;
  TracerOutcome outcome = TRY(RunOnce(target, plan, 0, runner, listener));
  status = check(outcome.program);
  for (std::size_t set = 1; set < sets && status.ok(); ++set) {
    if (!input.CanBeReadAgain()) {
      listener.say(fmt::format(
          "{} of {} sets of counters are left out: the standard input is a "
          "pipe, which can be read only once",
          sets - set, sets));
      break;
    }
    input.ReadAgain();
    listener.say(fmt::format("run {} of {}: {}", set + 1, sets,
                             fmt::join(plan->sets[set], ", ")));
    Result<TracerOutcome> more = RunOnce(target, plan, set, runner, listener);
    status = more.ok() ? check(more.value().program) : Status(more.error());
    if (more.ok()) {
      std::ranges::move(more.value().traces,
                        std::back_inserter(outcome.traces));
    }
  }
  return outcome;
}

// ---- Counting run ----------------------------------------------------------

namespace {

namespace fs = std::filesystem;

// The listener receives plan and result.
Result<TracerOutcome> RunCounting(const CountingSettings& asked,
                                  const CountingRun& run,
                                  const CountedMetrics& metrics,
                                  const CountingPlan& plan,
                                  const Listener& listener) {
  std::error_code error;
  const fs::path run_dir = fs::absolute(asked.run_dir, error);
  const fs::path folder = fs::path("trace") / "count";
  // The ranks of a job write their plans into the same folder.
  const fs::path file = folder / fmt::format("{}.plan", ::getpid());
  TRY(WriteBelow(run_dir, file, CountingFile(plan)));
  listener.say(CountingText(plan));
  listener.detail(CountingTable(plan));
  listener.notes(plan.notes);
  TracerOutcome outcome = TRY(run.run(
      run_dir / folder, {.metrics = metrics.metrics, .plan = run_dir / file}));
  if (outcome.traces.empty()) return outcome;
  Notes said_by_the_report;
  const auto counted = ReadArtifacts(outcome.traces, said_by_the_report);
  if (counted.ok()) listener.say(CountedText(plan, counted.value()));
  return outcome;
}

// The profile of a run's traces, its names merged as the report merges them.
Result<Profile> ReadForPlan(const std::vector<fs::path>& traces,
                            const MergeOptions& merge) {
  Notes said_by_the_report;
  Profile profile = TRY(ReadArtifacts(traces, said_by_the_report));
  MergeNames(TRY(NameMerging::Make(merge)), profile);
  return profile;
}

}  // namespace

CountingRun OnceMore(const ProgramToStart& start, const StandardInput& input,
                     ProcessRunner& runner) {
  const bool can_start =
      input.CanBeReadAgain() && !DetectLauncher(std::getenv).starts_once;
  return {.obstacle = can_start
                          ? ""
                          : "the program cannot be started again (its standard "
                            "input is a pipe, or its launcher starts it once)",
          .run = [&](const fs::path& folder, const CountRequest& request) {
            input.ReadAgain();
            return RunTracer({.program = start.argv,
                              .trace_dir = folder,
                              .counts = request,
                              .cwd = start.cwd,
                              .rank = start.rank},
                             std::getenv, runner);
          }};
}

Status CountToo(const CountingSettings& asked, const CountingRun& run,
                std::optional<CountedMetrics> metrics, const Listener& listener,
                TracerOutcome& outcome) {
  const CounterSettings& counters = asked.counters;
  if (!counters.enable || !counters.mode || !asked.trace.has_kernels() ||
      outcome.traces.empty())
    return Ok();
  const Profile profile = TRY(ReadForPlan(outcome.traces, asked.merge));
  if (counters.mode == CounterMode::kSample) {
    const auto why = WhyToCount(counters, profile);
    if (!why) return Ok();
    listener.say(*why);
  }
  if (!metrics) {
    auto found = MetricsToCount(counters);
    if (!found.ok()) {
      listener.say("nothing is counted: " + found.error().message());
      return Ok();
    }
    metrics = std::move(found).value();
  }
  const CountingPlan plan =
      TRY(PlanCountingRun(counters, asked.selection, *metrics, profile,
                          outcome.program.seconds, run.least_instances));
  if (plan.regions.empty()) {
    listener.notes(plan.notes);
    return Ok();
  }
  if (!run.obstacle.empty()) {
    listener.say("nothing is counted: " + run.obstacle);
    return Ok();
  }
  TracerOutcome counted =
      TRY(RunCounting(asked, run, *metrics, plan, listener));
  std::ranges::move(counted.traces, std::back_inserter(outcome.traces));
  if (counted.program.status == 0) return Ok();
  return Error(counted.program.ending == Ending::kInterrupted
                   ? ErrorCode::kInterrupted
                   : ErrorCode::kTarget,
               fmt::format("the program {} in the run that counts",
                           EndText(counted.program)));
}

}  // namespace rangefinder
