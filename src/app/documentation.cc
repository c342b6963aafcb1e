#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/config_text.h"
#include "app/setting.h"
#include "app/settings.h"
#include "base/embedded.h"
#include "base/text.h"
#include "capture/ncu_options.h"
#include "config/yaml.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedConf();

namespace {

std::string CellText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string CodeText(std::string_view text) {
  return text.empty() ? "" : "`" + CellText(text) + "`";
}

// A default for the documentation, in the form of an override.
std::string DefaultText(const Node* node) {
  if (node == nullptr) return "";
  if (node->is_list()) {
    std::vector<std::string> items;
    for (const Node& item : node->items) items.push_back(PythonStr(item));
    return CodeText(fmt::format("[{}]", fmt::join(items, ", ")));
  }
  if (node->is_string()) return CodeText(node->text);
  // The preset has the values of a map.
  if (node->is_map() && !node->entries.empty()) {
    std::vector<std::string> keys;
    for (const Entry& entry : node->entries)
      keys.push_back(PythonStr(entry.key) + ": …");
    return CodeText(fmt::format("{{{}}}", fmt::join(keys, ", ")));
  }
  return CodeText(OneLine(*node));
}

// The first comment line of a file.
std::string FirstComment(const EmbeddedFile& file) {
  const std::string first = Split(std::string(file.content()), '\n').front();
  return std::string(Trim(std::string_view(first).substr(
      std::min(first.find_first_not_of("# "), first.size()))));
}

}  // namespace

std::string OneLine(const Node& node) {
  std::string text = WriteJson(node, true);
  text.pop_back();
  return text;
}

std::string TypeText(const NcuOption& option) {
  if (option.type == NcuOptionType::kFlag) return "bool";
  if (option.values.empty()) return option.type_text;
  return fmt::format("{}: {}",
                     option.type == NcuOptionType::kList ? "list of" : "one of",
                     fmt::join(option.values, ", "));
}

std::string ShippedKeys() {
  const Settings usual;
  std::string out;
  std::vector<std::string> open;  // the maps around the last key
  for (const Setting& row : SettingsTable()) {
    const bool is_map = row.type == KeyType::kMap;
    if (row.of_preset || (row.show == nullptr && !is_map)) continue;
    std::vector<std::string> path = Split(row.key, '.');
    const std::string name = path.back();
    path.pop_back();
    std::size_t depth =
        std::mismatch(path.begin(), path.end(), open.begin(), open.end())
            .first -
        path.begin();
    if (depth == 0) out += '\n';
    for (; depth < path.size(); ++depth)
      out += fmt::format("{:{}}{}:\n", "", 2 * depth, path[depth]);
    const std::string indent(2 * path.size(), ' ');
    for (const std::string& line : Wrapped(row.about, 78 - indent.size()))
      out += fmt::format("{}# {}\n", indent, line);
    out += fmt::format("{}{}: {}\n", indent, name,
                       is_map ? "{}" : row.show(row, usual));
    open = std::move(path);
  }
  return out;
}

Result<std::string> ConfigurationTables() {
  const Composition composition = TRY(ComposeConfiguration({}));
  const auto find = [&](std::string_view path) {
    return composition.full().FindPath(path);
  };
  std::string out =
      "| key | type | default | flag | meaning |\n"
      "|---|---|---|---|---|\n";
  const Settings usual;
  for (const Setting& row : SettingsTable()) {
    const bool has_default = row.show != nullptr && !row.of_preset;
    out += fmt::format("| {} | {} | {} | {} | {} |\n", CodeText(row.key),
                       CellText(TypeText(row)),
                       has_default ? CodeText(row.show(row, usual))
                                   : DefaultText(find(row.key)),
                       CodeText(row.flag), CellText(row.about));
  }
  out +=
      "\n### Options of ncu\n\n"
      "Every other option of ncu 2025.3.1, below `pipeline.ncu.ncu_cli`. "
      "Unset options are not passed: ncu then uses its default.\n\n"
      "| key | type | default of ncu | flag | as a list |\n"
      "|---|---|---|---|---|\n";
  for (const NcuOption& option : NcuOptionTable()) {
    const bool own =
        FindSetting(std::string(kNcuKeys) + option.name) != nullptr;
    if (own || !ReservedNcuOption(option.name).empty()) continue;
    out +=
        fmt::format("| {} | {} | {} | {} | {} |\n", CodeText(option.name),
                    CellText(TypeText(option)), CodeText(option.default_text),
                    CodeText(option.flag), option.repeatable ? "yes" : "");
  }
  out += "\nThese cannot be set:\n\n";
  for (const NcuOption& option : NcuOptionTable()) {
    const std::string_view reserved = ReservedNcuOption(option.name);
    if (!reserved.empty())
      out += fmt::format("- {} {}\n", CodeText(option.flag), reserved);
  }
  out += "\n### Presets\n\n| group | option | what it is |\n|---|---|---|\n";
  for (const EmbeddedFile& file : EmbeddedConf()) {
    const std::size_t slash = file.path.rfind('/');
    if (slash == std::string_view::npos) continue;
    const Node tree = ReadEmbeddedYaml(file);
    const Node* description = tree.Find("description");
    std::string text =
        description != nullptr ? PythonStr(*description) : std::string();
    if (text.empty()) text = FirstComment(file);
    std::string_view option = file.path.substr(slash + 1);
    option.remove_suffix(5);
    out +=
        fmt::format("| {} | {} | {} |\n", CodeText(file.path.substr(0, slash)),
                    CodeText(option), CellText(text));
  }
  return out;
}

}  // namespace rangefinder
