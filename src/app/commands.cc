#include "app/commands.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/ranks.h"
#include "app/bundled_program.h"
#include "app/cli.h"
#include "app/command_checks.h"
#include "app/completion.h"
#include "app/config_command.h"
#include "app/counters_command.h"
#include "app/diff_options.h"
#include "app/discover_command.h"
#include "app/doctor_command.h"
#include "app/filter_command.h"
#include "app/kernel_list_profile.h"
#include "app/kernels_command.h"
#include "app/nsys_stage.h"
#include "app/profile_command.h"
#include "app/program.h"
#include "app/rank_report.h"
#include "app/report_command.h"
#include "app/run_claim.h"
#include "app/run_settings.h"
#include "app/show_command.h"
#include "app/summary_command.h"
#include "base/process.h"
#include "base/text.h"
#include "capture/rank.h"
#include "export/formats.h"
#include "ingest/reader.h"
#include "region/merged_names.h"

namespace rangefinder {
namespace {

// ---- profile, discover: a program is run -----------------------------------

using Stages = Status (*)(const Settings& settings, const CommandLine& line,
                          ProcessRunner& runner, const Console& console);

// Runs the program by `stages`; as one of a job's ranks where there is a job,
// whose report the last rank makes.
Status RunProgram(const Invocation& asked, Stages stages) {
  const auto& [line, console, paths, request] = asked;
  TRY(NeedNoPaths(asked));
  SystemRunner runner;
  Settings settings = TRY(LoadProfileSettings(request));
  TRY(CheckTableNames(settings.report.table));
  for (const std::string& warning : settings.warnings)
    console.Say("warning: " + warning);
  if (!line.dry_run && RunsBundled(line.program, settings))
    TRY(BuildBundled(settings.bundled.program, runner, console));
  const auto rank =
      DetectRank([](const char* name) { return std::getenv(name); });
  if (line.dry_run) return stages(settings, line, runner, console);
  const RunClaim claim = TRY(RunClaim::Make(settings, rank.has_value()));
  if (!rank) return stages(settings, line, runner, console);
  BeginRank(settings.run_dir, *rank);
  Status status = stages(settings, line, runner, console);
  if (status.ok() || status.error().code() != ErrorCode::kUsage)
    ReportRank(*rank, settings, console);
  return status;
}

// nsys, then ncu or the tracer.
Status ProfileStages(const Settings& settings, const CommandLine& line,
                     ProcessRunner& runner, const Console& console) {
  if (settings.nsys.enable) {
    TRY(CheckStarts(DetectLauncher(std::getenv), settings.ncu.enable ? 2 : 1));
    TRY(RunNsysStage(settings, line.program, line.dry_run, runner, console));
    if (!settings.ncu.enable) return Ok();
  }
  if (!settings.ncu.enable) {
    return RunWithoutProfiler(settings, line.program, line.dry_run, runner,
                              console);
  }
  if (settings.ncu.kernel_config) {
    return RunKernelListProfile(settings, line.program, line.dry_run, runner,
                                console);
  }
  return RunProfile(settings, line.program, line.dry_run, runner, console);
}

Status DoProfile(const Invocation& asked) {
  return RunProgram(asked, ProfileStages);
}

void ProfileOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--dry-run", line.dry_run,
                   "print the plan and the commands, and measure nothing");
  AddTableFlags(command, line.table);
}

void DiscoverOptions(CLI::App& command, CommandLine& line) {
  AddTableFlags(command, line.table);
}

Status DoDiscover(const Invocation& asked) {
  return RunProgram(
      asked,
      [](const Settings& settings, const CommandLine& line,
         ProcessRunner& runner, const Console& console) -> Status {
        return RunDiscover(settings, line.program, runner, console);
      });
}

// ---- report, show, filter, kernels: captures are read ----------------------

// What a run was made with, and what of it cannot be used here.
Result<RunSettings> SettingsOfRun(const Invocation& asked) {
  RunSettings run = TRY(LoadRunSettings(asked.request, asked.paths));
  for (const std::string& left_out : run.settings.left_out)
    asked.console.Say("warning: " + left_out);
  return run;
}

Status DoReport(const Invocation& asked) {
  TRY(NeedPaths(asked, "report"));
  const RunSettings settings = TRY(SettingsOfRun(asked));
  return RunReport(asked.paths, settings, asked.console);
}

Status DoShow(const Invocation& asked) {
  TRY(NeedPaths(asked, "show"));
  const RunSettings settings = TRY(SettingsOfRun(asked));
  ShowRequest show{.format = FormatOr(asked.line, "table")};
  const std::vector<std::string> flags = TableOverrides(asked.line.table);
  if (show.format != "table" && !flags.empty()) {
    return Error(ErrorCode::kUsage,
                 fmt::format("--format {} has no use for {}, which is of the "
                             "table; regions.include and regions.max_rows are "
                             "of all formats",
                             Printable(show.format), FlagOf(flags.front())));
  }
  if (asked.line.explain.size() == 2) {
    show.explain_region = asked.line.explain[0];
    show.explain_metric = asked.line.explain[1];
  }
  return RunShow(asked.paths, show, settings, asked.console);
}

void ShowOptions(CLI::App& command, CommandLine& line) {
  FormatOption(command, line, JoinedAsList(ShownFormatNames(), "or"));
  command.add_option("--explain", line.explain, "how a value came about")
      ->type_name("REGION METRIC")
      ->expected(2)
      ->allow_extra_args(false);
  AddTableFlags(command, line.table);
}

Status DoFilter(const Invocation& asked) {
  const auto& [line, console, paths, request] = asked;
  TRY(CheckFormat(line, {"table", "json"}));
  // The expression may look like an override, so it is taken as it stands.
  if (line.words.size() < 2) {
    return Error(ErrorCode::kUsage,
                 "filter needs an expression and a path: rangefinder filter "
                 "'decode*' run.ncu-rep");
  }
  const auto files = TRY(FindArtifacts(
      std::vector<std::string>(line.words.begin() + 1, line.words.end())));
  Notes notes;
  Profile profile = TRY(ReadArtifacts(files, notes));
  MergeNames(NameMerging(), profile);  // a merged name is a pattern, too
  console.SayNotes(notes);
  FilterRequest filter{.expression = line.words.front(), .native = line.native};
  if (line.scope == "thread") filter.scope = ncu::NvtxScope::kThread;
  if (line.scope == "process") filter.scope = ncu::NvtxScope::kProcess;
  const FilterAnswer answer = Filter(filter, profile);
  console.Out(line.format == "json" ? FilterJson(answer)
                                    : FilterText(answer, profile));
  if (answer.valid || line.format == "json") return Ok();
  return Error(ErrorCode::kUsage, answer.error);
}

void FilterOptions(CLI::App& command, CommandLine& line) {
  command.add_flag("--native", line.native,
                   "EXPR is ncu's own text, not a pattern");
  command
      .add_option("--scope", line.scope,
                  "of push/pop ranges: thread (as ncu does) or process")
      ->type_name("SCOPE")
      ->check(CLI::IsMember({"thread", "process"}));
  FormatOption(command, line, "table or json");
}

Status DoKernels(const Invocation& asked) {
  const CommandLine& line = asked.line;
  TRY(CheckFormat(line, {"table", "json", "yaml"}));
  TRY(NeedPaths(asked, "kernels"));
  const RunSettings settings = TRY(SettingsOfRun(asked));
  return RunKernels(
      asked.paths,
      {.format = line.format, .top = line.top, .output = line.output}, settings,
      asked.console);
}

void KernelsOptions(CLI::App& command, CommandLine& line) {
  command.add_option("--top", line.top, "how many of them (20); 0: all")
      ->type_name("N");
  FormatOption(command, line, "table, json or yaml");
  command.add_option("--output,-o", line.output, "write it there, as yaml")
      ->type_name("FILE");
}

Status DoCounters(const Invocation& asked) {
  const CommandLine& line = asked.line;
  TRY(CheckFormat(line, {"table", "json"}));
  // A regular expression may look like an override.
  return RunCounters({.patterns = line.words,
                      .chip = line.chip,
                      .format = FormatOr(line, "table")},
                     asked.console);
}

void CountersOptions(CLI::App& command, CommandLine& line) {
  command
      .add_option("--chip", line.chip,
                  "a chip, as GH100; none of them has to be here")
      ->type_name("CHIP");
  FormatOption(command, line, "table or json");
}

// ---- summarize, merge: many ranks -------------------------------------------

Status DoSummarize(const Invocation& asked) {
  TRY(NeedPaths(asked, "summarize"));
  const RunSettings settings = TRY(SettingsOfRun(asked));
  const auto& [line, console, paths, request] = asked;
  return RunSummarize(paths, line.output,
                      line.rank < 0 ? std::nullopt : std::optional(line.rank),
                      settings, console);
}

void SummarizeOptions(CLI::App& command, CommandLine& line) {
  command.add_option("--output,-o", line.output, "write it there")
      ->type_name("FILE");
  command
      .add_option("--rank", line.rank,
                  "of a run directory that ranks share, this one alone")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
}

// A name with a `=` in it is a file's all the same.
Status DoMerge(const Invocation& asked) {
  const CommandLine& line = asked.line;
  return RunMerge(line.words, line.output, line.strict, asked.console);
}

void SummaryMergeOptions(CLI::App& command, CommandLine& line) {
  command.add_option("--output,-o", line.output, "write it there")
      ->type_name("FILE");
  command.add_flag("--strict", line.strict,
                   "fail where a summary would be left out");
}

// ---- config, completion, doctor: nothing is measured -----------------------

Status DoConfig(const Invocation& asked) {
  const CommandLine& line = asked.line;
  TRY(NeedNoPaths(asked));
  TRY(CheckFormat(line, {"yaml", "json"}));
  ConfigRequest config{.settings = asked.request,
                       .format = FormatOr(line, "yaml"),
                       .part = line.hydra ? "all" : "job",
                       .resolve = line.resolve,
                       .package = line.package,
                       .sources = line.sources,
                       .explain = line.explain_key,
                       .groups = line.groups};
  config.settings.embedded = !line.no_embedded;
  asked.console.Out(TRY(ConfigCommand(config)));
  return Ok();
}

void ConfigOptions(CLI::App& command, CommandLine& line) {
  FormatOption(command, line, "yaml or json");
  command.add_flag("--resolve", line.resolve, "with no interpolation left");
  command.add_flag("--no-embedded", line.no_embedded,
                   "without the configuration that comes with the program");
  command.add_flag("--hydra", line.hydra, "with the hydra node");
  command
      .add_option("--package,-p", line.package, "only what is below this key")
      ->type_name("KEY");
  command.add_flag("--sources", line.sources,
                   "with the file and line of every value");
  command
      .add_option("--explain", line.explain_key,
                  "what a key means, its default and ncu's flag")
      ->type_name("KEY");
  command.add_flag("--groups", line.groups, "the groups and their options");
}

Status DoCompletion(const Invocation& asked) {
  if (asked.paths.size() != 1)
    return Error(ErrorCode::kUsage, "completion needs a shell: bash or zsh");
  asked.console.Out(
      TRY(CompletionScript(asked.paths.front(), WordsOfCommands())));
  return Ok();
}

Status DoDoctor(const Invocation& asked) {
  TRY(NeedNoPaths(asked));
  TRY(CheckFormat(asked.line, {"table", "json"}));
  SystemRunner runner;
  const Settings settings = TRY(LoadSettings(asked.request));
  return RunDoctor(FormatOr(asked.line, "table"), settings, runner,
                   asked.console);
}

void DoctorOptions(CLI::App& command, CommandLine& line) {
  FormatOption(command, line, "table or json");
}

// ---- The table --------------------------------------------------------------

SettingsRequest RequestOfProfile(const Invocation& asked) {
  return ProfileRequest(asked.request);
}

SettingsRequest RequestOfRun(const Invocation& asked) {
  return RunRequest(asked.request, asked.paths);
}

constexpr Subcommand kSubcommands[] = {
    {"profile", "run a program, measure it and report it: the main job",
     DoProfile, ProfileOptions, RequestOfProfile},
    {"discover",
     "run it once under the tracer: regions, time, kernels; no counters",
     DoDiscover, DiscoverOptions, RequestOfProfile},
    {"report", "make the reports again from what was captured", DoReport,
     nullptr, RequestOfRun},
    {"show", "print a report on the terminal", DoShow, ShowOptions,
     RequestOfRun},
    {"diff", "compare two runs, region by region; --gate for CI", DoDiff,
     DiffOptions},
    {"compare", "run two programs in turn, and diff them: -- A ::: B",
     DoCompare, CompareOptions},
    {"summarize", "a rank's run as a small summary that merges", DoSummarize,
     SummarizeOptions, RequestOfRun},
    {"merge", "any number of summaries into one, in any order", DoMerge,
     SummaryMergeOptions},
    {"filter",
     "which regions and kernels an NVTX filter selects, and what ncu makes of "
     "it",
     DoFilter, FilterOptions},
    {"kernels", "the top kernels, and a list of kernels that profile can take",
     DoKernels, KernelsOptions, RequestOfRun},
    {"counters", "what the GPU can count, and in how many passes", DoCounters,
     CountersOptions},
    {"config", "print the configuration, explain a key", DoConfig,
     ConfigOptions},
    {"completion", "print a script that completes on the shell's command line",
     DoCompletion},
    {"doctor", "what is installed, what is permitted, what to do about it",
     DoDoctor, DoctorOptions},
};

// An override has a `=` or begins with `~`; a file of that name wins.
bool IsOverride(const std::string& word) {
  std::error_code error;
  return (word.find('=') != std::string::npos || word.starts_with('~')) &&
         !std::filesystem::exists(word, error);
}

}  // namespace

std::span<const Subcommand> Subcommands() {
  return kSubcommands;
}

namespace {

// Options of Hydra's command line that ask for what is not there.
Status RefuseHydra(const CommandLine& line) {
  if (line.multirun) {
    return Error(ErrorCode::kUsage,
                 "--multirun: Rangefinder does one run at a time; to sweep, "
                 "run it once a value: for v in 1 2; do rangefinder profile "
                 "KEY=$v -- PROGRAM; done");
  }
  if (!line.config_path.empty()) {
    return Error(ErrorCode::kUsage,
                 fmt::format("--config-path: there is one built-in "
                             "configuration; a folder that is searched before "
                             "it is --config-dir {}",
                             Printable(ShellQuote(line.config_path))));
  }
  return Ok();
}

// --cfg: what the command would be run with.
Status PrintConfiguration(const Subcommand& command, const Invocation& asked) {
  const ConfigRequest config{
      .settings = command.request ? command.request(asked) : asked.request,
      .part = asked.line.cfg,
      .resolve = asked.line.resolve,
      .package = asked.line.package};
  asked.console.Out(TRY(ConfigCommand(config)));
  return Ok();
}

}  // namespace

Status RunSubcommand(const Subcommand& command, const CommandLine& line,
                     const Console& console) {
  Invocation asked{.line = line,
                   .console = console,
                   .request = {.config_dir = line.config_dir,
                               .config_name = line.config_name,
                               .surroundings = ProcessSurroundings()}};
  for (std::string& word : TableOverrides(line.table))
    asked.request.overrides.push_back(std::move(word));
  for (const std::string& word : line.words)
    (IsOverride(word) ? asked.request.overrides : asked.paths).push_back(word);
  TRY(RefuseHydra(line));
  if (!line.cfg.empty()) return PrintConfiguration(command, asked);
  return command.run(asked);
}

}  // namespace rangefinder
