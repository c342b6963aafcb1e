#include "app/cli.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/console.h"
#include "app/profile_command.h"
#include "app/report_command.h"
#include "app/settings.h"
#include "app/simple_settings.h"

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
  std::string config_name{};
  std::string color = "auto";
  std::string format{};
  bool quiet = false;
  bool verbose = false;
  bool dry_run = false;
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

Status Run(const std::string& command, const CommandLine& line,
           const Console& console) {
  const Words words = Sort(line.words);
  const Settings settings = TRY(LoadSimpleSettings(words.overrides));
  const auto need_paths = [&]() -> Status {
    if (!words.paths.empty()) return Ok();
    return Error(ErrorCode::kUsage,
                 fmt::format("{} needs a path: a run directory, a .ncu-rep, a "
                             "trace or an nsys .sqlite",
                             command));
  };
  if (command == "report") {
    TRY(need_paths());
    return RunReport(words.paths, settings, console);
  }
  if (command == "show") {
    TRY(need_paths());
    return RunShow(words.paths, line.format.empty() ? "table" : line.format,
                   settings, console);
  }
  SystemRunner runner;
  return RunProfile(settings, line.program, line.dry_run, runner, console);
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
  CLI::App* profile = app.add_subcommand(
      "profile",
      "run PROGRAM, measure, report: profile [key=value…] -- PROGRAM");
  AddCommonOptions(profile, line);
  profile->add_flag("--dry-run", line.dry_run,
                    "print the plan and the commands, and measure nothing");
  CLI::App* report = app.add_subcommand(
      "report", "make the reports again from captures alone");
  AddCommonOptions(report, line);
  CLI::App* show = app.add_subcommand("show", "the same on the terminal");
  AddCommonOptions(show, line);
  show->add_option("--format", line.format, "table, md, json or csv");
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
  const Status status = Run(command, line, console);
  if (status.ok()) return 0;
  console.Fail(status.error());
  return ExitStatus(status.error().code());
}

}  // namespace rangefinder
