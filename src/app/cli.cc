#include "app/cli.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/ranks.h"
#include "app/completion.h"
#include "app/config_command.h"
#include "app/console.h"
#include "app/discover_command.h"
#include "app/doctor_command.h"
#include "app/filter_command.h"
#include "app/kernel_list_profile.h"
#include "app/kernels_command.h"
#include "app/nsys_stage.h"
#include "app/profile_command.h"
#include "app/rank_report.h"
#include "app/report_command.h"
#include "app/run_settings.h"
#include "app/settings.h"
#include "app/show_command.h"
#include "base/process.h"
#include "base/text.h"
#include "capture/rank.h"
#include "ingest/reader.h"

namespace rangefinder {
namespace {

constexpr const char* kAbout =
    "Profiles a CUDA program by its NVTX regions: time, kernels, hardware "
    "metrics and Nsight Compute sections per region.";

// What was typed, before it means anything.
struct CommandLine {
  std::vector<std::string> words{};    // paths, expressions, overrides
  std::vector<std::string> program{};  // after --
  std::string config_dir{};
  std::string config_name = "config";
  std::string color = "auto";
  std::string format{};
  bool quiet = false;
  bool verbose = false;
  bool dry_run = false;
  bool native = false;
  std::string scope{};
  std::vector<std::string> explain{};  // region, metric
  bool resolve = false;
  bool no_embedded = false;
  bool hydra = false;
  bool sources = false;
  bool groups = false;
  std::string package{};
  std::string explain_key{};
  std::uint64_t top = KernelsRequest{}.top;
  std::string output{};
};

struct Words {
  std::vector<std::string> paths{};
  std::vector<std::string> overrides{};
};

// An override has a `=` or begins with `~`; a file of that name wins.
Words Sort(const std::vector<std::string>& words) {
  Words sorted;
  for (const std::string& word : words) {
    std::error_code error;
    const bool override_like =
        word.find('=') != std::string::npos || word.starts_with('~');
    if (override_like && !std::filesystem::exists(word, error))
      sorted.overrides.push_back(word);
    else
      sorted.paths.push_back(word);
  }
  return sorted;
}

void AddCommonOptions(CLI::App* command, CommandLine& line) {
  command->add_option("words", line.words, "paths and overrides (key=value)");
  command->add_option("--config-dir", line.config_dir,
                      "folder with configuration of your own");
  command->add_option("--config-name", line.config_name,
                      "primary configuration (config)");
  command->add_option("--color", line.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command->add_flag("--quiet,-q", line.quiet, "say only errors");
  command->add_flag("--verbose,-v", line.verbose, "say more on the way");
}

Status NeedPaths(const std::string& command, const Words& words) {
  if (!words.paths.empty()) return Ok();
  return Error(ErrorCode::kUsage,
               fmt::format("{} needs a path: a run directory, a .ncu-rep, a "
                           "trace or an nsys .sqlite",
                           command));
}

Status RunFilter(const CommandLine& line, const Words& words,
                 const Console& console) {
  // The expression may look like an override, so it is taken as it stands.
  if (line.words.size() < 2) {
    return Error(ErrorCode::kUsage,
                 "filter needs an expression and a path: rangefinder filter "
                 "'decode*' run.ncu-rep");
  }
  const std::vector<std::string> paths(line.words.begin() + 1,
                                       line.words.end());
  (void)words;
  const auto files = TRY(FindArtifacts(paths));
  Notes notes;
  const Profile profile = TRY(ReadArtifacts(files, notes));
  console.SayNotes(notes);
  FilterRequest request{.expression = line.words.front(),
                        .native = line.native};
  if (line.scope == "thread") request.scope = ncu::NvtxScope::kThread;
  if (line.scope == "process") request.scope = ncu::NvtxScope::kProcess;
  const FilterAnswer answer = Filter(request, profile);
  console.Out(line.format == "json" ? FilterJson(answer)
                                    : FilterText(answer, profile));
  if (answer.valid) return Ok();
  if (line.format == "json") return Ok();
  return Error(ErrorCode::kUsage, answer.error);
}

Status CheckFormat(const CommandLine& line,
                   std::initializer_list<std::string_view> formats) {
  if (line.format.empty() ||
      std::ranges::find(formats, line.format) != formats.end())
    return Ok();
  std::string known;
  for (const std::string_view format : formats)
    known += (known.empty() ? "" : ", ") + std::string(format);
  return Error(ErrorCode::kUsage, fmt::format("--format {}: there are {}",
                                              Printable(line.format), known));
}

// What runs a program: nsys, then ncu or the tracer.
Status RunStages(const std::string& command, const Settings& settings,
                 const CommandLine& line, ProcessRunner& runner,
                 const Console& console) {
  if (command == "profile" && settings.nsys.enable) {
    TRY(CheckStarts(DetectLauncher(std::getenv), settings.ncu.enable ? 2 : 1));
    TRY(RunNsysStage(settings, line.program, line.dry_run, runner, console));
    if (!settings.ncu.enable) return Ok();
  }
  if (command == "discover")
    return RunDiscover(settings, line.program, runner, console);
  if (!settings.ncu.enable) {
    return RunNothingEnabled(settings, line.program, line.dry_run, runner,
                             console);
  }
  if (settings.ncu.kernel_config) {
    return RunKernelListProfile(settings, line.program, line.dry_run, runner,
                                console);
  }
  return RunProfile(settings, line.program, line.dry_run, runner, console);
}

Status Run(const std::string& command, const CommandLine& line,
           const Console& console) {
  const Words words = Sort(line.words);
  const SettingsRequest request{.overrides = words.overrides,
                                .config_dir = line.config_dir,
                                .config_name = line.config_name,
                                .surroundings = ProcessSurroundings()};
  if (command == "filter") {
    TRY(CheckFormat(line, {"table", "json"}));
    return RunFilter(line, words, console);
  }
  if (command == "report" || command == "show") {
    TRY(NeedPaths(command, words));
    const RunSettings settings = TRY(LoadRunSettings(request, words.paths));
    if (command == "report") return RunReport(words.paths, settings, console);
    ShowRequest show{.format = line.format.empty() ? "table" : line.format};
    if (line.explain.size() == 2) {
      show.explain_region = line.explain[0];
      show.explain_metric = line.explain[1];
    }
    return RunShow(words.paths, show, settings, console);
  }
  if (command == "kernels") {
    TRY(CheckFormat(line, {"table", "json", "yaml"}));
    TRY(NeedPaths(command, words));
    const RunSettings settings = TRY(LoadRunSettings(request, words.paths));
    return RunKernels(
        words.paths,
        {.format = line.format, .top = line.top, .output = line.output},
        settings, console);
  }
  if (command == "completion") {
    if (words.paths.size() != 1)
      return Error(ErrorCode::kUsage, "completion needs a shell: bash or zsh");
    console.Out(TRY(CompletionScript(words.paths.front())));
    return Ok();
  }
  if (!words.paths.empty()) {
    return Error(ErrorCode::kUsage,
                 fmt::format("'{}' is not an override (key=value); a program "
                             "to run stands after --",
                             Printable(words.paths.front())));
  }
  if (command == "config") {
    TRY(CheckFormat(line, {"yaml", "json"}));
    ConfigRequest config{.settings = request};
    config.settings.embedded = !line.no_embedded;
    if (!line.format.empty()) config.format = line.format;
    config.resolve = line.resolve;
    config.hydra = line.hydra;
    config.package = line.package;
    config.sources = line.sources;
    config.explain = line.explain_key;
    config.groups = line.groups;
    console.Out(TRY(ConfigCommand(config)));
    return Ok();
  }
  SystemRunner runner;
  if (command == "doctor") {
    TRY(CheckFormat(line, {"table", "json"}));
    const Settings settings = TRY(LoadSettings(request));
    return RunDoctor(line.format.empty() ? "table" : line.format, settings,
                     runner, console);
  }
  const Settings settings = TRY(LoadProfileSettings(request));
  for (const std::string& warning : settings.warnings)
    console.Say("warning: " + warning);
  const auto rank =
      DetectRank([](const char* name) { return std::getenv(name); });
  if (!rank || line.dry_run)
    return RunStages(command, settings, line, runner, console);
  BeginRank(settings.run_dir, *rank);
  Status status = RunStages(command, settings, line, runner, console);
  if (status.ok() || status.error().code() != ErrorCode::kUsage)
    ReportRank(*rank, settings, console);
  return status;
}

}  // namespace

int Main(int argc, char** argv) {
  // What follows a bare -- is the program's, whatever it looks like.
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CommandLine line;
  const auto dashes = std::ranges::find(arguments, "--");
  if (dashes != arguments.end())
    line.program.assign(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());

  CLI::App app(kAbout, "rangefinder");
  app.set_version_flag("--version", "rangefinder " RANGEFINDER_VERSION);
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* about) {
    CLI::App* command = app.add_subcommand(name, about);
    AddCommonOptions(command, line);
    return command;
  };
  add("profile",
      "run PROGRAM, measure, report: profile [key=value…] -- PROGRAM")
      ->add_flag("--dry-run", line.dry_run,
                 "print the plan and the commands, and measure nothing");
  add("discover",
      "run PROGRAM once under the tracer: regions, time, kernels; no counters");
  add("report", "make the reports again from captures alone");
  CLI::App* show = add("show", "the same on the terminal");
  show->add_option("--format", line.format,
                   "table, md, json, csv, folded, hatchet or perfetto");
  show->add_option("--explain", line.explain,
                   "REGION METRIC: how the value came about")
      ->expected(2)
      ->allow_extra_args(false);
  CLI::App* filter = add("filter",
                         "which regions and kernels an NVTX expression "
                         "selects, and what ncu makes of it");
  filter->add_flag("--native", line.native,
                   "EXPR is ncu's own text, not a pattern");
  filter->add_option("--scope", line.scope, "thread or process")
      ->check(CLI::IsMember({"thread", "process"}));
  filter->add_option("--format", line.format, "table or json");
  CLI::App* kernels = add("kernels",
                          "the top kernels, and a kernel list that profile "
                          "can take");
  kernels->add_option("--top", line.top, "how many of them (20); 0: all");
  kernels->add_option("--format", line.format, "table, json or yaml");
  kernels->add_option("--output,-o", line.output, "FILE to write it to");
  CLI::App* config = add("config", "print the composed configuration");
  config->add_option("--format", line.format, "yaml or json");
  config->add_flag("--resolve", line.resolve, "with no interpolation left");
  config->add_flag("--no-embedded", line.no_embedded,
                   "without the configuration that comes with the program");
  config->add_flag("--hydra", line.hydra, "with the hydra node");
  config->add_option("--package", line.package, "only what is below this key");
  config->add_flag("--sources", line.sources,
                   "with the file and line of every value");
  config->add_option("--explain", line.explain_key,
                     "KEY: what it means, its default and ncu's flag");
  config->add_flag("--groups", line.groups, "the groups and their options");
  add("completion", "print a completion script: completion bash|zsh");
  add("doctor", "what is installed, what is permitted, what to do about it")
      ->add_option("--format", line.format, "table or json");
  try {
    std::ranges::reverse(arguments);
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error, std::cout, std::cerr);
    return status == 0 ? 0 : ExitStatus(ErrorCode::kUsage);
  }
  const Console console({.quiet = line.quiet,
                         .verbose = line.verbose,
                         .color = line.color == "always" ? ColorChoice::kAlways
                                  : line.color == "never"
                                      ? ColorChoice::kNever
                                      : ColorChoice::kAuto});
  const std::string command = app.get_subcommands().front()->get_name();
  Status status = Run(command, line, console);
  if (status.ok()) status = console.CheckOut();
  if (status.ok()) return 0;
  console.Fail(status.error());
  return ExitStatus(status.error().code());
}

}  // namespace rangefinder
