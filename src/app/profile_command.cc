// `profile` and `discover`, which run a program.

#include <cstdlib>

#include <CLI/CLI.hpp>

#include "analysis/ranks.h"
#include "analysis/run_artifacts.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "app/profile_steps.h"
#include "base/text.h"
#include "capture/rank.h"
#include "capture/run_dir.h"
#include "capture/target.h"
#include "report/tables.h"

namespace rangefinder {
namespace {

// Runs before any measurement. kUsage: a column that no capture can have.
Status CheckColumnNames(const TableView& view) {
  std::vector<std::string> names = view.columns;
  names.push_back(view.sort);
  for (const std::string& name : names) {
    if (MayBeColumn(name)) continue;
    return UsageError(
        "{}: there is no column '{}'; {}",
        &name == &names.back() ? "report.table.sort (--sort)"
                               : "report.table.columns (--columns)",
        Printable(name), KnownWords(name, OwnColumnNames(), ", and metrics"));
  }
  return Ok();
}

// kUsage: neither a program nor a word says what to profile, or two programs
// are named.
Status CheckProgram(const CommandLine& line, const Workload& workload) {
  const bool bundled = workload.RunsBundled(line.program);
  if (line.example && !bundled) {
    return UsageError(
        "--example runs the program that comes with Rangefinder: leave out "
        "--example, or {}",
        Printable(
            ShellQuote(line.program.empty() ? workload.argv : line.program)));
  }
  if (line.example || !line.words.empty() || !bundled) return Ok();
  return UsageError(
      "there is no program to run; write it after --: -- PROGRAM ARG…; to try "
      "it on the example that comes with Rangefinder: rangefinder profile "
      "--example");
}

using Steps = Status (*)(const Settings& settings, TargetRun& run);

// Runs the steps. In a job of several ranks, the last rank makes the report.
Status RunProgram(const Invocation& asked, Steps steps) {
  const auto& [line, console, paths, request] = asked;
  TRY(NeedNoPaths(asked));
  SystemRunner runner;
  Settings settings = TRY(LoadProfileSettings(request));
  TRY(CheckColumnNames(settings.report.table));
  TRY(CheckProgram(line, settings.workload));
  for (const std::string& warning : settings.warnings)
    console.Say("warning: " + warning);
  if (!line.dry_run && settings.workload.RunsBundled(line.program))
    TRY(BuildBundled(runner, console.listener()));
  const auto rank = DetectRank(std::getenv);
  std::optional<RunClaim> claim;
  if (!line.dry_run) {
    claim.emplace(TRY(RunClaim::Make(settings.run_dir, settings.new_run_dir,
                                     rank.has_value())));
  }
  if (claim && rank) BeginRank(settings.run_dir, *rank);
  TargetRun run{.reporting = ReportingOf(settings),
                .dry_run = line.dry_run,
                .runner = runner,
                .console = console};
  const auto all = [&]() -> Status {
    run.options = TRY(RunOptionsOf(settings, line.program));
    if (!claim) return steps(settings, run);
    return ReplaceCapture(run.options, [&] { return steps(settings, run); });
  };
  Status status = all();
  if (claim && rank &&
      (status.ok() || status.error().code() != ErrorCode::kUsage))
    ReportRank(*rank, settings.run_dir, run.reporting, console);
  return status;
}

// nsys first, then ncu or the tracer alone.
Status ProfileSteps(const Settings& settings, TargetRun& run) {
  const NcuSettings& ncu = settings.ncu;
  const AnalysisOptions& analysis = settings.analysis;
  const SelectionOptions& selection = analysis.selection;
  if (settings.nsys.enable) {
    TRY(CheckStarts(run.options.launcher, ncu.enable ? 2 : 1));
    TRY(RunNsysStep(run, settings.nsys, !ncu.enable));
    if (!ncu.enable) return Ok();
    run.options.earlier_runs = 1;
  }
  if (!ncu.enable) {
    return RunTracerStep(run, {.run_dir = settings.run_dir,
                               .counters = settings.counters,
                               .trace = settings.trace,
                               .selection = selection,
                               .merge = analysis.merge});
  }
  if (ncu.kernel_config) return RunKernelListStep(run, ncu, analysis.rollup);
  return RunNcuStep(run,
                    {.plan = {.ncu = ncu,
                              .instances = analysis.instances,
                              .selection = selection},
                     .trace = settings.trace,
                     .counters = settings.counters,
                     .merge = analysis.merge},
                    analysis.rollup);
}

}  // namespace

Status DoProfile(const Invocation& asked) {
  return RunProgram(asked, ProfileSteps);
}

void AddProfileOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--dry-run", line.dry_run,
                   "print the plan and the commands, and run nothing");
  AddDiscoverOptions(command, line);
}

void AddDiscoverOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--example", line.example,
                   "run the small CUDA program that comes with Rangefinder");
}

Status DoDiscover(const Invocation& asked) {
  return RunProgram(asked,
                    [](const Settings& settings, TargetRun& run) -> Status {
                      return RunDiscoverStep(run, settings.trace);
                    });
}

}  // namespace rangefinder
