#include "app/commands.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/config_text.h"
#include "app/setting.h"
#include "base/lists.h"
#include "base/text.h"
#include "base/write_file.h"
#include "config/override.h"

namespace rangefinder {
namespace {

constexpr const char* kWholeNumber = "expected a whole number, 0 or more";

bool IsDigits(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

// An override has a `=` or begins with `~`; an existing file of that name takes
// precedence.
bool IsOverride(const std::string& word) {
  std::error_code error;
  return (word.find('=') != std::string::npos || word.starts_with('~')) &&
         !std::filesystem::exists(word, error);
}

// Checks the value of a flag that is a key; errors name the flag.
Status CheckFlag(const Setting& row, const std::string& word) {
  std::string expected;
  if (row.type == KeyType::kInteger) {
    if (!IsDigits(word)) expected = kWholeNumber;
  } else if (row.type == KeyType::kPercent) {
    const auto percent = PercentOf(word);
    if (!percent || *percent < row.least || *percent > row.most)
      expected = fmt::format("expected a percentage from {} to {}", row.least,
                             row.most);
  } else if (!row.values.empty()) {
    const std::vector<std::string> known = Split(row.values, '|');
    if (!Has(known, word)) expected = KnownWords(word, known);
  }
  if (expected.empty()) return Ok();
  return UsageError("{} {}: {}", row.flag, Printable(word), expected);
}

// "++report.table.top=5": the configuration of an older run has no such keys.
Result<std::vector<std::string>> FlagOverrides(const CommandLine& line) {
  std::vector<std::string> overrides;
  for (const auto& [key, words] : line.of_keys) {
    const Setting& row = *FindSetting(key);
    const bool is_number = row.type == KeyType::kInteger;
    if (row.type == KeyType::kNames && words.empty())
      return UsageError("{} needs a value: names, A,B", row.flag);
    std::vector<std::string> values;
    for (const std::string& word : words) {
      TRY(CheckFlag(row, word));
      values.push_back(is_number ? word : QuoteOverrideValue(word));
    }
    overrides.push_back(fmt::format(
        fmt::runtime(row.type == KeyType::kNames ? "++{}=[{}]" : "++{}={}"),
        key,
        row.type == KeyType::kBool
            ? "true"
            : fmt::format("{}", fmt::join(values, ","))));
  }
  return overrides;
}

// Refuses options of Hydra's command line without a counterpart here.
Status RefuseHydra(const CommandLine& line) {
  if (line.multirun) {
    return UsageError(
        "--multirun: Rangefinder does one run at a time; to sweep, run it once "
        "a value: for v in 1 2; do rangefinder profile KEY=$v -- PROGRAM; "
        "done");
  }
  if (!line.config_path.empty()) {
    return UsageError(
        "--config-path: there is one built-in configuration; a folder that is "
        "searched before it is --config-dir {}",
        Printable(ShellQuote(line.config_path)));
  }
  return Ok();
}

// Existing scripts write `+` before keys that exist by now.
void SayReplaced(const Invocation& asked) {
  if (std::ranges::none_of(
          asked.request.overrides,
          [](const std::string& word) { return word.starts_with('+'); }))
    return;
  const auto composed = ComposeConfiguration(asked.request);
  if (!composed.ok()) return;  // the command reports the error
  std::vector<std::string> replaced = composed.value().replaced();
  for (const std::string& word : asked.request.overrides) {
    const auto is_it = [&](const Override& one) { return one.input() == word; };
    if (std::ranges::none_of(composed.value().overrides(), is_it))
      replaced.push_back(word);
  }
  for (const std::string& word : replaced) {
    asked.console.Say(fmt::format(
        "note: {} replaces the value of a key that is there; without + it "
        "says the same",
        Printable(word)));
  }
}

}  // namespace

const Subcommand* FindSubcommand(std::string_view name) {
  const auto it = std::ranges::find(Subcommands(), name, &Subcommand::name);
  return it == Subcommands().end() ? nullptr : &*it;
}

Status RunSubcommand(const Subcommand& command, const CommandLine& line,
                     const Console& console) {
  Invocation asked{.line = line,
                   .console = console,
                   .request = {.overrides = TRY(FlagOverrides(line)),
                               .config_dir = line.config_dir,
                               .config_name = line.config_name,
                               .surroundings = ProcessSurroundings()}};
  for (const std::string& word : line.words)
    (IsOverride(word) ? asked.request.overrides : asked.paths).push_back(word);
  TRY(RefuseHydra(line));
  SayReplaced(asked);
  if (line.cfg.empty()) return command.run(asked);
  // --cfg: the configuration of the command.
  console.Out(TRY(ConfigCommand(
      {.settings = command.request ? command.request(asked) : asked.request,
       .part = line.cfg,
       .resolve = line.resolve,
       .package = line.package})));
  return Ok();
}

std::string KnownWords(std::string_view word,
                       std::span<const std::string> known,
                       std::string_view more) {
  if (const auto near = Nearest(word, known))
    return fmt::format("did you mean '{}'?", *near);
  return fmt::format("there are {}{}", JoinedAsList(known, "and"), more);
}

Status NeedPaths(const Invocation& asked, std::string_view command) {
  if (!asked.paths.empty()) return Ok();
  return UsageError(
      "{} needs a path: a run directory, a .ncu-rep, a trace or an nsys "
      ".sqlite",
      command);
}

Status NeedNoPaths(const Invocation& asked) {
  if (asked.paths.empty()) return Ok();
  return UsageError(
      "'{}' is not an override (key=value); a program to run stands after --",
      Printable(asked.paths.front()));
}

Status CheckFormat(const CommandLine& line,
                   std::initializer_list<std::string_view> formats) {
  if (line.format.empty() || Has(formats, line.format)) return Ok();
  return UsageError("--format {}: there are {}", Printable(line.format),
                    fmt::join(formats, ", "));
}

void FormatOption(CLI::App& command, CommandLine& line,
                  const std::string& formats) {
  command.add_option("--format", line.format, formats)->type_name("FORMAT");
}

std::string FormatOr(const CommandLine& line, const char* usual) {
  return line.format.empty() ? usual : line.format;
}

void OutputOption(CLI::App& command, CommandLine& line,
                  const std::string& about) {
  command.add_option("--output,-o", line.output, about)->type_name("FILE");
}

Status KeepInputs(const Invocation& asked) {
  const std::string& output = asked.line.output;
  for (const std::string& word : asked.paths) {
    std::vector<std::string> paths = Split(word, ',');  // runs of one side
    paths.push_back(word);
    for (const std::string& path : paths) {
      std::error_code error;
      if (!output.empty() && std::filesystem::equivalent(path, output, error))
        return UsageError("--output {}: this is an input, which would be lost",
                          Printable(output));
    }
  }
  return Ok();
}

Status WriteResult(const Invocation& asked,
                   const std::function<void(std::ostream&)>& write) {
  const std::string& output = asked.line.output;
  if (output.empty()) {
    asked.console.Out(write);
    return Ok();
  }
  TRY(KeepInputs(asked));
  std::ostringstream text;
  write(text);
  TRY(WriteOutput(output, text.str()));
  asked.console.Out(fmt::format("{}\n", output));
  return Ok();
}

Result<double> DurationOf(const char* option, const std::string& text,
                          const char* example) {
  const auto seconds = ParseDuration(text);
  if (seconds && *seconds > 0) return *seconds;
  return UsageError("{} {}: expected a time, such as {}", option,
                    Printable(text), example);
}

Result<std::uint64_t> CountOf(const char* option, const std::string& text) {
  std::uint64_t count = 0;
  const std::errc bad =
      std::from_chars(text.data(), text.data() + text.size(), count).ec;
  if (IsDigits(text) && bad == std::errc()) return count;
  return UsageError(
      "{} {}: {}", option, Printable(text),
      bad == std::errc::result_out_of_range ? "too large" : kWholeNumber);
}

Result<std::string> OwnProgram() {
  std::error_code error;
  std::string self =
      std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return Error(ErrorCode::kSystem, "/proc/self/exe cannot be read");
  return self;
}

std::vector<std::string> WordsOf(
    const SettingsRequest& request,
    std::initializer_list<std::string_view> without) {
  std::vector<std::string> words;
  if (!request.config_dir.empty())
    words.push_back("--config-dir=" + request.config_dir);
  words.push_back("--config-name=" + request.config_name);
  for (const std::string& word : request.overrides) {
    const std::string key = word.substr(0, word.find('='));
    if (std::ranges::none_of(without, [&](std::string_view left_out) {
          return key.find(left_out) != std::string::npos;
        }))
      words.push_back(word);
  }
  return words;
}

}  // namespace rangefinder
