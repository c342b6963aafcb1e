#include "app/cli.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands.h"
#include "app/help_text.h"
#include "app/typed.h"
#include "app/version.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/text.h"

namespace rangefinder {
namespace {

// Those that every command has, and that may stand before the command too.
void AddCommonOptions(CLI::App& command, CommandLine& line) {
  const auto common = [](CLI::Option* option, const char* type) {
    option->group(kCommonOptions)->type_name(type);
    return option;
  };
  common(command.add_option("--config-dir", line.config_dir,
                            "folder with configuration of your own, searched "
                            "first; -cd is the same"),
         "FOLDER");
  common(command.add_option("--config-name", line.config_name,
                            "primary configuration (config); -cn is the same"),
         "NAME");
  common(command.add_option("--cfg,-c", line.cfg,
                            "run nothing and print the configuration: job, "
                            "hydra or all"),
         "PART")
      ->check(CLI::IsMember({"job", "hydra", "all"}));
  common(command.add_option("--color", line.color, "auto, always or never"),
         "WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  common(command.add_flag("--quiet,-q", line.quiet, "say only errors"), "");
  common(command.add_flag("--verbose,-v", line.verbose,
                          "say more, also what only experts need"),
         "");
  common(command.get_help_ptr(), "")->description("print this and exit");
  // Hydra's, of which only why they are none is said.
  command.add_flag("--multirun,-m", line.multirun)->group("");
  command.add_option("--config-path", line.config_path)->group("");
}

ColorChoice ColorOf(const CommandLine& line) {
  if (line.color == "always") return ColorChoice::kAlways;
  if (line.color == "never") return ColorChoice::kNever;
  return ColorChoice::kAuto;
}

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  }
  return names;
}

// The same for completion: where an option's values are few, its description
// lists them and nothing else, and each is a word of its own.
std::vector<std::string> OfferedOf(const CLI::App& app) {
  std::vector<std::string> words;
  for (const std::string& name : OptionsOf(app)) {
    std::string values = app.get_option(name)->get_description();
    if (const std::size_t last = values.rfind(" or ");
        last != std::string::npos)
      values.replace(last, 4, ", ");
    bool listed = values.find(", ") != std::string::npos;
    std::vector<std::string> offered;
    for (const std::string& value : Split(values, ',')) {
      offered.push_back(name + "=" + std::string(Trim(value)));
      listed = listed && Trim(value).find(' ') == std::string_view::npos;
    }
    if (!listed) offered = {name};
    words.insert(words.end(), offered.begin(), offered.end());
  }
  return words;
}

// What CLI11 did not understand, in the words of all other errors.
Error ErrorOf(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "" : command.get_name();
  for (const std::string& word : command.remaining()) {
    if (word.starts_with('-'))
      return UnknownOption(word, name, OptionsOf(command));
  }
  if (chosen.empty())
    return Error(ErrorCode::kUsage,
                 "no command; rangefinder --help lists them");
  return Error(ErrorCode::kUsage, Printable(error.what()));
}

// Parses `words` into `line`; true where help or version was asked for and
// printed.
Result<bool> Parse(CLI::App& app, std::vector<std::string> words) {
  try {
    std::ranges::reverse(words);
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return ErrorOf(app, error);
    app.exit(error, std::cout, std::cerr);
    return true;
  }
  return false;
}

Status RunChosen(const CLI::App& app, const CommandLine& line,
                 const Console& console) {
  const auto command = std::ranges::find(
      Subcommands(), app.get_subcommands().front()->get_name(),
      &Subcommand::name);
  TRY(RunSubcommand(*command, line, console));
  return console.CheckOut();
}

}  // namespace

void AddCommands(CLI::App& app, CommandLine& line) {
  app.formatter_fn(
      [](const CLI::App* shown, const std::string&, CLI::AppFormatMode) {
        return HelpText(*shown, Console({}).width());
      });
  app.set_version_flag("--version",
                       std::string("rangefinder ") + VersionText());
  app.get_option("--version")->description("print the version and exit");
  AddCommonOptions(app, line);
  app.require_subcommand(1);
  for (const Subcommand& row : Subcommands()) {
    CLI::App* command = app.add_subcommand(std::string(row.name), row.about);
    command->add_option("words", line.words, "paths and overrides (key=value)");
    AddCommonOptions(*command, line);
    if (row.add_options != nullptr) row.add_options(*command, line);
  }
}

std::vector<CommandWords> WordsOfCommands() {
  CommandLine line;
  CLI::App app("", "rangefinder");
  AddCommands(app, line);
  std::vector<CommandWords> all = {{.options = OfferedOf(app)}};
  for (const CLI::App* command : app.get_subcommands({}))
    all.push_back({command->get_name(), OfferedOf(*command)});
  return all;
}

int Main(int argc, char** argv) {
  IgnoreFileSizeSignal();
  const InterruptEnds interrupts;  // but while something else runs
  const Typed typed = ReadTyped({argv + std::min(argc, 1), argv + argc});
  CommandLine line;
  line.program = typed.program;
  CLI::App app("", "rangefinder");
  AddCommands(app, line);

  Status status = CheckCommand(typed);
  if (status.ok() && typed.words.empty()) {
    std::cout << app.help();
    return 0;
  }
  if (status.ok()) {
    const auto parsed = Parse(app, typed.words);
    if (parsed.ok() && parsed.value()) return 0;
    if (!parsed.ok()) status = parsed.error();
  }
  const Console console(
      {.quiet = line.quiet, .verbose = line.verbose, .color = ColorOf(line)});
  if (status.ok()) status = RunChosen(app, line, console);
  if (status.ok()) return 0;
  console.Fail(status.error());
  return ExitStatus(status.error().code());
}

}  // namespace rangefinder
