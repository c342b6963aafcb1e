#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli.h"
#include "app/config_text.h"
#include "app/setting.h"
#include "app/settings.h"
#include "base/embedded.h"
#include "base/text.h"
#include "capture/ncu_options.h"

namespace rangefinder {

// rangefinder.bash, rangefinder.zsh: the scripts with placeholders.
std::span<const EmbeddedFile> EmbeddedCompletion();

namespace {

// The values to offer for a key.
std::vector<std::string> ValuesOf(const std::string& key) {
  if (const Setting* known = FindSetting(key)) {
    if (known->type == KeyType::kBool) return {"true", "false"};
    if (!known->values.empty()) return Split(known->values, '|');
    return {};
  }
  if (!key.starts_with(kNcuKeys)) return {};
  const NcuOption* option =
      FindNcuOption(std::string_view(key).substr(kNcuKeys.size()));
  if (option == nullptr) return {};
  if (option->type == NcuOptionType::kFlag ||
      option->type == NcuOptionType::kBool)
    return {"true", "false"};
  return option->values;
}

Result<std::vector<std::string>> Overrides() {
  const Composition composition = TRY(ComposeConfiguration({}));
  std::vector<std::string> keys;
  for (const Leaf& leaf : LeavesOf(composition.task()))
    keys.push_back(leaf.path);
  for (const Setting& setting : SettingsTable())
    if (setting.key.starts_with("hydra.")) keys.emplace_back(setting.key);
  keys.emplace_back("hydra.searchpath");
  std::vector<std::string> out;
  for (const std::string& key : keys) {
    const std::vector<std::string> values = ValuesOf(key);
    if (values.empty()) out.push_back(key + "=");
    for (const std::string& value : values) out.push_back(key + "=" + value);
  }
  ConfigSources sources = ShippedSources();
  for (const auto& [key, option] : composition.defaults().choices) {
    if (key.starts_with("hydra/")) continue;
    for (const std::string& name :
         sources.Options(key.substr(0, key.find('@'))))
      out.push_back(key + "=" + name);
  }
  return out;
}

// A branch for each command: its options, and the first words of its keys and
// groups.
std::string Cases(std::span<const CommandWords> commands, bool bash) {
  std::string cases;
  for (const CommandWords& command : commands) {
    if (command.command.empty() || command.command == "completion") continue;
    std::vector<std::string> keys = Split(command.keys, ' ');
    if (IsBelow("pipeline", command.keys))
      keys.insert(keys.end(), {"profiling", "model", "infer"});
    cases += fmt::format(
        fmt::runtime(bash ? "      {}) words=\"{}\" keys='{}';;\n"
                          : "    {}) options=({}) keys='{}';;\n"),
        command.command, fmt::join(command.options, " "), fmt::join(keys, "|"));
  }
  return cases;
}

// Replaces every `place` of `script` by `text`.
void PutIn(std::string_view place, const std::string& text,
           std::string& script) {
  for (std::size_t at = script.find(place); at != std::string::npos;
       at = script.find(place, at + text.size()))
    script.replace(at, place.size(), text);
}

}  // namespace

Result<std::string> CompletionScript(std::string_view shell) {
  const bool bash = shell == "bash";
  if (!bash && shell != "zsh") {
    return UsageError("completion {}: there are bash and zsh",
                      Printable(shell));
  }
  std::vector<std::string> names;
  std::vector<std::string> options;
  const std::vector<CommandWords> commands = WordsOfCommands();
  for (const CommandWords& command : commands) {
    if (command.command.empty())
      options = command.options;
    else
      names.push_back(command.command);
  }
  const std::vector<std::string> overrides = TRY(Overrides());
  const auto joined = [](const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
  };
  std::string script(EmbeddedCompletion()[bash ? 0 : 1].content());
  PutIn("@commands@", joined(names), script);
  PutIn("@options@", joined(options), script);
  PutIn("@cases@", Cases(commands, bash), script);
  PutIn("@overrides@", joined(overrides), script);
  return script;
}

}  // namespace rangefinder
