// `run` starts a program armed; `window` measures a part of it.

#include <cstdlib>
#include <cstring>

#include <CLI/CLI.hpp>
#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include "analysis/run_artifacts.h"
#include "app/command_settings.h"
#include "app/commands.h"
#include "app/profile_steps.h"
#include "base/text.h"
#include "capture/armed.h"
#include "capture/run_dir.h"
#include "capture/tracer.h"

namespace rangefinder {
namespace {

constexpr double kUsualSeconds = 10;

Status CheckRegion(const char* option, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const bool good =
      text.empty() ||
      (colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
       text.find_first_not_of("0123456789", colon + 1) == std::string::npos &&
       text.find_first_not_of('0', colon + 1) != std::string::npos &&
       text.find('\n') == std::string::npos);
  if (good) return Ok();
  return UsageError(
      "{} {}: expected REGION:N, a region and a number of its instances, such "
      "as decode:50",
      option, Printable(text));
}

// Replaces this process, so that the program has its process id, its terminal
// and its exit status.
Error Become(const std::vector<std::string>& program,
             const std::map<std::string, std::string>& variables) {
  for (const auto& [name, value] : variables)
    ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : program)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  return Error(ErrorCode::kSystem,
               fmt::format("cannot run {}: {}", ShellQuote(program[0]),
                           std::strerror(errno)));
}

}  // namespace

Status DoRun(const Invocation& asked) {
  const CommandLine& line = asked.line;
  const std::filesystem::path library = TRY(FindTracer(std::getenv));
  const auto variables = TRY(ArmingEnvironment(library, line.arm, std::getenv));
  if (line.print_env) {
    for (const auto& [name, value] : variables)
      asked.console.Out(fmt::format("{}={}\n", name, value));
    return Ok();
  }
  SystemRunner runner;
  TRY(FindProgram(line.program, "", runner));
  asked.console.Detail(fmt::format(
      "armed; to measure a part of it: rangefinder window {}", ::getpid()));
  return Become(line.program, variables);
}

void AddRunOptions(CLI::App& command, CommandLine& line) {
  command
      .add_option(
          "--arm", line.arm,
          "light: CUPTI is loaded by the first window; graphs: at once, "
          "for regions inside CUDA graphs that are captured before, and "
          "for window --profiler")
      ->check(CLI::IsMember({"light", "graphs"}))
      ->capture_default_str();
  command.add_flag("--print-env", line.print_env,
                   "print the variables that arm a program, and run nothing");
}

Status DoWindow(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  if (paths.size() != 1)
    return UsageError("window needs one process: rangefinder window PID");
  WindowStep window{.after = line.after, .instances = line.instances};
  if (line.profiler_calls) {
    window.after = "cudaProfilerStart:1";
    window.instances = "cudaProfilerStop:1";
  }
  if (!line.window_for.empty())
    window.seconds = TRY(DurationOf("--for", line.window_for, "10s or 2m"));
  else if (window.instances.empty())
    window.seconds = kUsualSeconds;
  TRY(CheckRegion("--after", line.after));
  TRY(CheckRegion("--instances", line.instances));
  Settings settings = TRY(LoadProfileSettings(request));
  for (const std::string& warning : settings.warnings)
    console.Say("warning: " + warning);
  window.processes = TRY(FindArmed(paths[0], std::getenv));
  std::optional<RunClaim> claim;
  if (!line.dry_run) {
    claim.emplace(
        TRY(RunClaim::Make(settings.run_dir, settings.new_run_dir, false)));
  }
  SystemRunner runner;
  TargetRun run{.reporting = ReportingOf(settings),
                .dry_run = line.dry_run,
                .runner = runner,
                .console = console};
  run.options.run_dir = settings.run_dir;
  run.options.config_yaml = settings.config_yaml;
  run.options.ncu.force_overwrite =
      settings.ncu.options.contains("force_overwrite");
  const auto measure = [&] {
    return RunWindowStep(run, window,
                         {.run_dir = settings.run_dir,
                          .counters = settings.counters,
                          .trace = settings.trace,
                          .selection = settings.analysis.selection,
                          .merge = settings.analysis.merge});
  };
  return claim ? ReplaceCapture(run.options, measure) : measure();
}

void AddWindowOptions(CLI::App& command, CommandLine& line) {
  command
      .add_option("--for", line.window_for,
                  "how long it is open; 10s unless --instances ends it")
      ->type_name("TIME");
  command
      .add_option("--after", line.after,
                  "open it when REGION has ended N times from now on")
      ->type_name("REGION:N");
  command
      .add_option("--instances", line.instances,
                  "close it when REGION has ended N times in it")
      ->type_name("REGION:N");
  command
      .add_flag(
          "--profiler", line.profiler_calls,
          "open it when the program calls cudaProfilerStart, and close it "
          "when it calls cudaProfilerStop (run --arm=graphs)")
      ->excludes("--after", "--instances");
  command.add_flag("--dry-run", line.dry_run,
                   "print the plan of the window without opening it");
}

}  // namespace rangefinder
