#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/cli.h"
#include "base/lists.h"
#include "base/text.h"
#include "capture/ncu_options.h"

namespace rangefinder {
namespace {

// Hydra's options with two letters after one dash, which CLI11 would read as
// one letter and its value.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kHydra =
    {{{"-cn", "--config-name"},
      {"-cd", "--config-dir"},
      {"-cp", "--config-path"}}};

std::string LongSpelling(std::string word) {
  for (const auto& [brief, full] : kHydra) {
    if (word == brief) return std::string(full);
    if (word.starts_with(std::string(brief) + "="))
      return std::string(full) + word.substr(brief.size());
  }
  return word;
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const Subcommand& command : Subcommands())
    names.emplace_back(command.name);
  return names;
}

// The key of an option of ncu; empty: no such option.
std::string NcuKeyOf(std::string option) {
  std::ranges::replace(option, '-', '_');
  constexpr std::pair<std::string_view, std::string_view> kOwnNames[] = {
      {"nvtx_include", "nvtx.include"},
      {"nvtx_exclude", "nvtx.exclude"},
      {"section", "sections"},
      {"k", "kernel_name"},
      {"c", "launch_count"},
      {"s", "launch_skip"}};
  for (const auto& [name, key] : kOwnNames)
    if (option == name) return fmt::format("{}{}", kNcuKeys, key);
  if (FindNcuOption(option) == nullptr || !ReservedNcuOption(option).empty())
    return "";
  return fmt::format("{}{}", kNcuKeys, option);
}

// Our counterpart of a command or an option of nsys and ncu; empty for other
// words.
std::string_view InPlaceOf(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kOfNsight[] = {
      {"stats",
       "to read a capture or an export of nsys: rangefinder show FILE"},
      {"analyze", "why it is slow: rangefinder explain FILE"},
      {"export", "to write other formats: rangefinder show --format json FILE"},
      {"launch", "to run a program: rangefinder profile -- PROGRAM"},
      {"-o", "hydra.run.dir=FOLDER says where the run goes"},
      {"-f", "a run replaces an earlier one in its hydra.run.dir"},
      {"--stats", "the tables are always shown"},
      {"--page", "--columns, --by kernel and --format csv show other views"},
      {"--import", "to read a report: rangefinder show FILE"},
      {"-i", "to read a report: rangefinder show FILE"}};
  const auto found = std::ranges::find(
      kOfNsight, word, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kOfNsight) ? std::string_view() : found->second;
}

}  // namespace

Typed ReadTyped(std::vector<std::string> arguments) {
  Typed typed;
  const auto dashes = std::ranges::find(arguments, "--");
  if (dashes != arguments.end())
    typed.program.assign(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  std::ranges::transform(arguments, std::back_inserter(typed.words),
                         LongSpelling);
  // `help`, `help COMMAND`
  if (!typed.words.empty() && typed.words.front() == "help") {
    typed.words.erase(typed.words.begin());
    typed.words.resize(std::min<std::size_t>(typed.words.size(), 1));
    typed.words.emplace_back("--help");
  }
  return typed;
}

Status CheckCommand(const Typed& typed) {
  if (typed.words.empty()) {
    if (typed.program.empty()) return Ok();
    return UsageError(
        "no command; to profile the program: rangefinder profile -- {}",
        Printable(ShellQuote(typed.program)));
  }
  const std::string& word = typed.words.front();
  const std::vector<std::string> names = CommandNames();
  if (word.starts_with('-') || Has(names, word)) return Ok();
  std::string message =
      fmt::format("there is no command '{}'", Printable(word));
  if (const std::string_view instead = InPlaceOf(word); !instead.empty()) {
    message += fmt::format("; {}", instead);
  } else if (const auto near = Nearest(word, names)) {
    message += fmt::format("; did you mean '{}'?", *near);
  } else if (Exists(word)) {
    message += fmt::format(
        "; to look at a capture: rangefinder show {0}, to "
        "profile a program: rangefinder profile -- {0}",
        Printable(ShellQuote(word)));
  } else {
    message += "; there are " + JoinedAsList(names, "and");
  }
  return Error(ErrorCode::kUsage, std::move(message));
}

Error UnknownOption(const std::string& option, const std::string& command,
                    const std::vector<std::string>& options) {
  const std::string name = option.substr(0, option.find('='));
  std::string message =
      fmt::format("{} has no option {}",
                  command.empty() ? "rangefinder" : command, Printable(name));
  // The dashes, which all options share, are left out of the comparison.
  std::vector<std::string> names;
  for (const std::string& known : options)
    names.push_back(known.substr(known.find_first_not_of('-')));
  const std::size_t begin = std::min(name.find_first_not_of('-'), name.size());
  const std::string key = NcuKeyOf(name.substr(begin));
  if (command == "profile" && !key.empty())
    message += "; the option of ncu is " + key + "=…";
  else if (const std::string_view instead = InPlaceOf(name); !instead.empty())
    message += fmt::format("; {}", instead);
  else if (const auto near = Nearest(name.substr(begin), names))
    message += fmt::format("; did you mean --{}?", *near);
  else
    message += fmt::format("; rangefinder {}{}--help lists them", command,
                           command.empty() ? "" : " ");
  return Error(ErrorCode::kUsage, std::move(message));
}

}  // namespace rangefinder
