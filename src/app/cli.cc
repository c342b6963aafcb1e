#include "app/cli.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/version.h"

namespace rangefinder {
namespace {

constexpr const char* kAbout =
    "Profiles a CUDA program by its NVTX regions: time, kernels, hardware "
    "metrics and Nsight Compute sections per region.";

// What follows a bare -- is the program's, whatever it looks like.
std::vector<std::string> TakeProgram(std::vector<std::string>& arguments) {
  const auto dashes = std::ranges::find(arguments, "--");
  std::vector<std::string> program;
  if (dashes != arguments.end()) program.assign(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return program;
}

void AddCommonOptions(CLI::App& command, CommandLine& line) {
  command.add_option("words", line.words, "paths and overrides (key=value)");
  command.add_option("--config-dir", line.config_dir,
                     "folder with configuration of your own");
  command.add_option("--config-name", line.config_name,
                     "primary configuration (config)");
  command.add_option("--color", line.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command.add_flag("--quiet,-q", line.quiet, "say only errors");
  command.add_flag("--verbose,-v", line.verbose, "say more on the way");
}

ColorChoice ColorOf(const CommandLine& line) {
  if (line.color == "always") return ColorChoice::kAlways;
  if (line.color == "never") return ColorChoice::kNever;
  return ColorChoice::kAuto;
}

}  // namespace

int Main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  CommandLine line;
  line.program = TakeProgram(arguments);

  CLI::App app(kAbout, "rangefinder");
  app.set_version_flag("--version",
                       std::string("rangefinder ") + VersionText());
  app.require_subcommand(1);
  for (const Subcommand& row : Subcommands()) {
    CLI::App* command = app.add_subcommand(std::string(row.name), row.about);
    AddCommonOptions(*command, line);
    if (row.add_options != nullptr) row.add_options(*command, line);
  }
  try {
    std::ranges::reverse(arguments);
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error, std::cout, std::cerr);
    return status == 0 ? 0 : ExitStatus(ErrorCode::kUsage);
  }

  const Console console(
      {.quiet = line.quiet, .verbose = line.verbose, .color = ColorOf(line)});
  const auto command = std::ranges::find(
      Subcommands(), app.get_subcommands().front()->get_name(),
      &Subcommand::name);
  Status status = RunSubcommand(*command, line, console);
  if (status.ok()) status = console.CheckOut();
  if (status.ok()) return 0;
  console.Fail(status.error());
  return ExitStatus(status.error().code());
}

}  // namespace rangefinder
