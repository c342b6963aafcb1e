#include "app/cli.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/commands.h"
#include "app/setting.h"
#include "app/version.h"
#include "base/interrupt.h"
#include "base/lists.h"
#include "base/process.h"
#include "base/text.h"

namespace rangefinder {

namespace {

// ---- Help ------------------------------------------------------------------

// The text of `--help`, wrapped to the terminal: sentences and examples from
// commands.yaml, keys from the settings table, options from CLI11.

// The group of CLI11's options that belong to every command.
constexpr const char* kCommonOptions = "Options of every command";

constexpr std::size_t kWidest = 100;  // lines that are longer read badly
// Narrower terminals wrap lines themselves.
constexpr std::size_t kNarrowest = 50;

struct Row {
  std::string term{};
  std::string text{};
};

class Page {
 public:
  explicit Page(std::size_t width) : width_(width) {}

  void Paragraphs(std::string_view text) {
    for (const std::string& paragraph : Split(text, '\n')) {
      Lines("", "", paragraph);
      text_ += '\n';
    }
  }

  void Usage(std::string_view text) {
    Lines("Usage: ", std::string(10, ' '), text);
    text_ += '\n';
  }

  void Heading(std::string_view heading) {
    text_ += fmt::format("{}:\n", heading);
  }

  // The texts begin in one column, behind the widest term of at most 24 cells.
  void Rows(std::span<const Row> rows) {
    std::size_t column = 0;
    for (const Row& row : rows) {
      if (DisplayWidth(row.term) <= 24)
        column = std::max(column, DisplayWidth(row.term));
    }
    const std::string indent(column + 4, ' ');
    for (const Row& row : rows) {
      std::string lead = "  " + row.term;
      if (DisplayWidth(lead) + 2 > indent.size()) {
        text_ += lead + '\n';
        lead.clear();
      }
      Lines(PadRight(lead, indent.size()), indent, row.text);
    }
    text_ += '\n';
  }

  // Terms that are not wrapped, so that they can be copied, with their texts
  // below them.
  void Entries(std::string_view heading, std::span<const Row> entries) {
    if (entries.empty()) return;
    Heading(heading);
    for (const Row& entry : entries) {
      text_ += fmt::format("  {}\n", entry.term);
      Lines("      ", "      ", entry.text);
    }
    text_ += '\n';
  }

  std::string Take() { return std::move(text_); }

 private:
  void Lines(std::string_view lead, std::string_view indent,
             std::string_view text) {
    std::string_view first = lead;
    const std::size_t room = width_ - std::min(width_ / 2, indent.size());
    for (const std::string& line : Wrapped(text, room)) {
      text_ += std::string(line.empty() ? "" : first) + line + '\n';
      first = indent;
    }
  }

  std::size_t width_;
  std::string text_{};
};

// "-q, --quiet", "--format FORMAT"
std::string TermOf(const CLI::Option& option) {
  std::string term;
  for (const std::string& name : Split(option.get_name(false, true), ','))
    term += (term.empty() ? "" : ", ") + name;
  if (option.get_items_expected_max() == 0) return term;
  std::string type = option.get_type_name();
  return term + " " + type.substr(0, type.find(':'));
}

void AddOptions(const CLI::App& app, bool common, Page& page) {
  std::vector<Row> rows;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional() || option->get_group().empty()) continue;
    if ((option->get_group() == kCommonOptions) != common) continue;
    rows.push_back({TermOf(*option), option->get_description()});
  }
  if (rows.empty()) return;
  page.Heading(common ? kCommonOptions : "Options");
  page.Rows(rows);
}

void AddExamples(const std::vector<Example>& examples, Page& page) {
  std::vector<Row> rows;
  for (const Example& example : examples)
    rows.push_back({example.command, example.says});
  page.Entries("Examples", rows);
}

std::string ProgramPage(const CLI::App& app, Page page) {
  const Subcommand& help = ProgramHelp();
  page.Paragraphs(help.text);
  page.Usage(fmt::format("rangefinder {}", help.synopsis));
  page.Heading("Commands");
  std::vector<Row> rows;
  for (const Subcommand& command : Subcommands())
    rows.push_back({command.name, command.about});
  page.Rows(rows);
  AddExamples(help.examples, page);
  AddOptions(app, false, page);
  AddOptions(app, true, page);
  page.Paragraphs(
      "What is measured and shown is said by keys of one configuration, as "
      "KEY=VALUE: `rangefinder config` prints them all, `rangefinder config "
      "--explain KEY` says what one means. `rangefinder COMMAND --help` has "
      "the options and examples of a command.");
  return page.Take();
}

// The keys that a command reads, each with its sentence, as plain text.
void AddKeys(std::string_view prefixes, Page& page) {
  std::vector<Row> rows;
  for (const Setting& setting : SettingsTable()) {
    if (!IsBelow(setting.key, prefixes)) continue;
    rows.push_back({std::string(setting.key), std::string(setting.about)});
    std::erase(rows.back().text, '`');
  }
  page.Entries("Keys of the configuration", rows);
}

std::string CommandPage(const CLI::App& app, Page page) {
  const Subcommand& help = *FindSubcommand(app.get_name());
  page.Paragraphs(help.text);
  page.Usage(fmt::format("rangefinder {} {}", app.get_name(), help.synopsis));
  AddOptions(app, false, page);
  AddExamples(help.examples, page);
  AddKeys(help.keys, page);
  AddOptions(app, true, page);
  return page.Take();
}

// Help of the program if `app` is the program, else of the command.
std::string HelpText(const CLI::App& app, std::size_t width) {
  Page page(std::clamp(width, kNarrowest, kWidest));
  std::string text = app.get_parent() == nullptr
                         ? ProgramPage(app, std::move(page))
                         : CommandPage(app, std::move(page));
  text.pop_back();  // keeps one of two line ends
  return text;
}

// Options of every command, which may also stand before the command.
void AddCommonOptions(CLI::App& command, CommandLine& line) {
  const auto common = [](CLI::Option* option, const char* type) {
    option->group(kCommonOptions)->type_name(type);
    return option;
  };
  common(command.set_version_flag("--version",
                                  std::string("rangefinder ") + VersionText()),
         "")
      ->description("print the version and exit");
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
                          "print more messages, for experts too"),
         "");
  common(command.get_help_ptr(), "")->description("print this and exit");
  // Options of Hydra, which RunSubcommand() refuses with a reason.
  command.add_flag("--multirun,-m", line.multirun)->group("");
  command.add_option("--config-path", line.config_path)->group("");
}

std::string TypeNameOf(const Setting& setting) {
  switch (setting.type) {
    case KeyType::kNames:
      return "A,B";
    case KeyType::kInteger:
      return "N";
    case KeyType::kNumber:
    case KeyType::kPercent:
      return "NUMBER";
    default:
      return setting.values.empty() ? "TEXT" : "WHICH";
  }
}

// Rows of the settings table below `prefixes` that are flags of a command.
std::vector<const Setting*> FlagsBelow(std::string_view prefixes) {
  std::vector<const Setting*> rows;
  for (const Setting& setting : SettingsTable()) {
    if (!setting.flag.empty() && IsBelow(setting.key, prefixes))
      rows.push_back(&setting);
  }
  return rows;
}

void AddKeyFlags(CLI::App& command, std::string_view prefixes,
                 CommandLine& line) {
  for (const Setting* row : FlagsBelow(prefixes)) {
    const std::string name(row->flag);
    const std::string about(row->about);
    if (row->type == KeyType::kBool) {
      command.add_flag_callback(
          name, [&line, row] { line.of_keys[row->key]; }, about);
      continue;
    }
    if (row->type == KeyType::kNames) {
      command
          .add_option_function<std::vector<std::string>>(
              name,
              [&line, row](const std::vector<std::string>& words) {
                std::vector<std::string>& names = line.of_keys[row->key];
                for (const std::string& word : words)
                  for (const std::string& one : Split(word, ','))
                    if (!one.empty()) names.push_back(one);
              },
              about)
          ->allow_extra_args(false)
          ->type_name(TypeNameOf(*row));
      continue;
    }
    command
        .add_option_function<std::string>(
            name,
            [&line, row](const std::string& word) {
              line.of_keys[row->key] = {word};
            },
            about)
        ->type_name(TypeNameOf(*row));
  }
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

// The words of completion: an option whose description is a list of its values
// gives one word per value.
std::vector<std::string> OfferedOf(const CLI::App& app,
                                   std::string_view flag_keys) {
  std::vector<std::string> words;
  for (const Setting* row : FlagsBelow(flag_keys)) {
    for (const std::string& value : Split(row->values, '|'))
      if (!value.empty())
        words.push_back(fmt::format("{}={}", row->flag, value));
  }
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

// The message for an option that is given twice or lacks values ("--explain
// REGION METRIC"). Nothing if `text`, from CLI11, does not begin with the name
// of an option.
std::optional<std::string> WrongNumber(const CLI::App& app,
                                       const CLI::App& command,
                                       const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  // Options of every command are also options of the program.
  for (const CLI::App* one : {&app, &command}) {
    const CLI::Option* const given = one->get_option_no_throw(name);
    if (given != nullptr && given->get_items_expected_max() > 0 &&
        static_cast<int>(given->count()) > given->get_items_expected_max())
      return name + " is given twice";
  }
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (option == nullptr || option->get_items_expected_max() == 0)
    return std::nullopt;
  return fmt::format("{} needs a value: {}", name, TermOf(*option));
}

// An error of CLI11 in the words of all other errors.
Error ErrorOf(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "" : command.get_name();
  for (const std::string& word : command.remaining()) {
    if (word.starts_with('-'))
      return UnknownOption(word, name, OptionsOf(command));
  }
  if (chosen.empty())
    return UsageError("no command; rangefinder --help lists them");
  std::string message = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    message = WrongNumber(app, command, message).value_or(message);
  // "Could not convert: --rank = 1.5": all such options are whole numbers.
  constexpr std::string_view kNoNumber = "Could not convert: ";
  if (message.starts_with(kNoNumber))
    message = message.substr(kNoNumber.size()) + ": expected a whole number";
  return Error(ErrorCode::kUsage, Printable(message));
}

// Parses `words` into `line`; true if help or version was requested and
// printed.
Result<bool> Parse(CLI::App& app, std::vector<std::string> words) {
  // CLI11 would take the next word as the value.
  const auto takes_value = [&](const std::string& name) {
    std::vector<const CLI::App*> all{&app};
    for (const CLI::App* command : std::as_const(app).get_subcommands({}))
      all.push_back(command);
    return std::ranges::any_of(all, [&](const CLI::App* one) {
      const CLI::Option* const option = one->get_option_no_throw(name);
      return option != nullptr && option->get_items_expected_max() > 0;
    });
  };
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.size() + 1 == word.size() && takes_value(name))
      return UsageError("{} needs a value", Printable(name));
  }
  try {
    std::ranges::reverse(words);
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return ErrorOf(app, error);
    const Console console({});
    console.Out([&](std::ostream& out) { app.exit(error, out, out); });
    TRY(console.CheckOut());
    return true;
  }
  return false;
}

// The error of an override such as `format=md`, whose key is an option of the
// command and no key of the configuration.
Error MeantAsOption(const CLI::App& command,
                    const std::vector<std::string>& words, Error error) {
  const std::vector<std::string> options = OptionsOf(command);
  for (const std::string& word : words) {
    const std::string key = word.substr(0, word.find('='));
    const std::string refused = fmt::format("Could not override '{}'", key);
    if (!Has(options, "--" + key) || !error.message().starts_with(refused))
      continue;
    return Error(
        ErrorCode::kUsage,
        Printable(fmt::format("{0}: the configuration has no key "
                              "'{1}'; did you mean --{1} {2}?",
                              word, key, word.substr(word.find('=') + 1))));
  }
  return error;
}

Status RunChosen(const CLI::App& app, const CommandLine& line,
                 const Console& console) {
  const CLI::App& command = *app.get_subcommands().front();
  Status status =
      RunSubcommand(*FindSubcommand(command.get_name()), line, console);
  if (!status.ok()) {
    return MeantAsOption(command, line.words, std::move(status).error());
  }
  return console.CheckOut();
}

// All commands, with the options of the commands in `words` (null: all), which
// are parsed into `line`.
void AddCommands(CLI::App& app, CommandLine& line,
                 const std::vector<std::string>* words = nullptr) {
  app.formatter_fn(
      [](const CLI::App* shown, const std::string&, CLI::AppFormatMode) {
        return HelpText(*shown, Console({}).width());
      });
  AddCommonOptions(app, line);
  app.require_subcommand(1);
  for (const Subcommand& row : Subcommands()) {
    CLI::App* command = app.add_subcommand(row.name, row.about);
    if (words != nullptr && !Has(*words, row.name)) continue;
    // CLI11 2.1 divides "[a,b]" into a and b if an option takes any number of
    // values, and a vector loses "{}". This option takes a fixed number of
    // values, more than any command line has, and copies them.
    constexpr int kMost = std::numeric_limits<int>::max();
    command
        ->add_option("words",
                     CLI::callback_t([&line](const CLI::results_t& typed) {
                       line.words = typed;
                       return true;
                     }),
                     "paths and overrides (key=value)")
        ->expected(kMost, kMost)
        ->take_all();
    AddCommonOptions(*command, line);
    if (row.add_options != nullptr) row.add_options(*command, line);
    AddKeyFlags(*command, row.flag_keys, line);
  }
}

}  // namespace

std::vector<CommandWords> WordsOfCommands() {
  CommandLine line;
  CLI::App app("", "rangefinder");
  AddCommands(app, line);
  std::vector<CommandWords> all = {{.options = OfferedOf(app, "")}};
  for (const CLI::App* command : app.get_subcommands({})) {
    const Subcommand& row = *FindSubcommand(command->get_name());
    all.push_back({.command = command->get_name(),
                   .options = OfferedOf(*command, row.flag_keys),
                   .keys = row.keys});
  }
  return all;
}

int Main(int argc, char** argv) {
  IgnoreFileSizeSignal();
  const InterruptEnds interrupts;  // except while another program runs
  const Typed typed = ReadTyped({argv + std::min(argc, 1), argv + argc});
  CommandLine line;
  line.program = typed.program;
  CLI::App app("", "rangefinder");
  AddCommands(app, line, &typed.words);

  Status status = CheckCommand(typed);
  if (status.ok() && typed.words.empty()) {
    const Console console({});
    console.Out(app.help());
    status = console.CheckOut();
    if (status.ok()) return 0;
  } else if (status.ok()) {
    const auto parsed = Parse(app, typed.words);
    if (parsed.ok() && parsed.value()) return 0;
    if (!parsed.ok()) status = parsed.error();
  }
  const Console console(
      {.quiet = line.quiet, .verbose = line.verbose, .color = line.color});
  if (status.ok()) status = RunChosen(app, line, console);
  if (status.ok()) return 0;
  console.Fail(status.error());
  return ExitStatus(status.error().code());
}

}  // namespace rangefinder
