// Each row of the settings table is read into its own member, and no other row
// knows of it; the files that are made of the table are as the table says.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

using ::testing::HasSubstr;

Result<Settings> Load(std::vector<std::string> overrides) {
  Surroundings around;
  around.environment = [](const std::string&) { return std::nullopt; };
  around.cwd = "/home/user/dir";
  return LoadSettings(
      {.overrides = std::move(overrides), .surroundings = around});
}

// The values of all rows that have a member.
std::map<std::string_view, std::string> Shown(const Settings& settings) {
  std::map<std::string_view, std::string> shown;
  for (const Setting& row : SettingsTable())
    if (row.show != nullptr) shown[row.key] = row.show(row, settings);
  return shown;
}

// A value that the row takes and that is not `now`.
std::string Another(const Setting& row, const std::string& now) {
  for (const std::string& value : Split(row.values, '|')) {
    if (!value.empty() && now.find(value) == std::string::npos)
      return "'" + value + "'";
  }
  switch (row.type) {
    case KeyType::kBool:
    case KeyType::kAutoBool:
      return now == "true" ? "false" : "true";
    case KeyType::kNumber:
    case KeyType::kInteger:
    case KeyType::kAutoInteger:
    case KeyType::kDuration:
    case KeyType::kWarmup:
      return "17";
    case KeyType::kShare:
    case KeyType::kBudget:
    case KeyType::kPercent:
      return "7%";
    case KeyType::kShortTime:
      return "7us";
    case KeyType::kDevice:
      return "cuda:7";
    case KeyType::kNames:
    case KeyType::kPatterns:
    case KeyType::kWords:
      return "[another]";
    case KeyType::kText:
      if (row.key == "regions.framework") return "vllm";
      return "another";
    case KeyType::kMap:
      return "another";
  }
  return "";
}

TEST(SettingsTable, EveryRowIsReadIntoItsOwnMember) {
  const auto usual = Load({});
  ASSERT_TRUE(usual.ok()) << usual.error().message();
  auto expected = Shown(usual.value());
  for (const Setting& row : SettingsTable()) {
    if (row.show == nullptr || row.key == "report.provenance") continue;
    const std::string before = expected[row.key];
    const std::string word =
        fmt::format("{}={}", row.key, Another(row, before));
    const auto changed = Load({word});
    ASSERT_TRUE(changed.ok()) << changed.error().message();
    auto shown = Shown(changed.value());
    EXPECT_NE(shown[row.key], before) << word;
    // The module stands before the words of `argv`.
    if (row.key == "pipeline.workload.module")
      shown["pipeline.workload.argv"] = expected["pipeline.workload.argv"];
    shown[row.key] = before;
    EXPECT_EQ(shown, expected) << word;
  }
}

TEST(SettingsTable, KeysWithoutAMemberAreReadOrRefused) {
  EXPECT_EQ(Load({"hydra.run.dir=x"}).value().run_dir, "/home/user/dir/x");
  EXPECT_THAT(Load({"hydra.output_subdir=x"}).error().message(),
              HasSubstr("hydra.output_subdir: only null"));
  EXPECT_THAT(Load({"report.provenance=/none"}).error().message(),
              HasSubstr("report.provenance"));
  EXPECT_THAT(Load({"+diff.gate.tme=1%"}).error().message(),
              HasSubstr("did you mean 'diff.gate.time'?"));
}

TEST(SettingsTable, DefaultsOfMembersEqualTheShippedConfiguration) {
  const auto shipped = Load({});
  ASSERT_TRUE(shipped.ok());
  for (const Setting& row : SettingsTable()) {
    if (row.show == nullptr || row.of_preset) continue;
    EXPECT_EQ(row.show(row, Settings{}), row.show(row, shipped.value()))
        << row.key;
  }
}

// ---- Files that are made of the table --------------------------------------

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

// The keys of conf/config.yaml that no preset has, with the members' defaults
// and the rows' sentences.
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

// The keys of docs/configuration.md, as Markdown tables.
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

// Compares the part of a file between two lines with `wanted`.
void Compare(const std::string& name, std::string_view first_line,
             std::string_view last_line, const std::string& wanted) {
  const std::string path = std::string(RANGEFINDER_SOURCE_DIR) + "/" + name;
  std::stringstream read;
  read << std::ifstream(path).rdbuf();
  const std::string text = read.str();
  const std::size_t begin = text.find(first_line);
  ASSERT_NE(begin, std::string::npos) << name;
  const std::size_t from = text.find('\n', begin) + 1;
  const std::size_t to = last_line.empty() ? text.size() : text.find(last_line);
  ASSERT_NE(to, std::string::npos) << name;
  if (std::getenv("RANGEFINDER_REGENERATE") != nullptr) {
    std::ofstream(path) << text.substr(0, from) << wanted << text.substr(to);
    GTEST_SKIP() << "NOTHING WAS COMPARED: RANGEFINDER_REGENERATE wrote "
                 << path;
  }
  EXPECT_EQ(text.substr(from, to - from), wanted)
      << "run app_tests with RANGEFINDER_REGENERATE=1";
}

TEST(SettingsTable, TheShippedConfigurationIsGeneratedFromTheTable) {
  Compare("conf/config.yaml", "# ---- Made of the settings table", "",
          ShippedKeys());
}

TEST(SettingsTable, TheDocumentationIsGeneratedFromTheTable) {
  const Result<std::string> tables = ConfigurationTables();
  ASSERT_TRUE(tables.ok()) << tables.error().message();
  Compare("docs/configuration.md",
          "<!-- generated:", "<!-- end of what is generated -->",
          "\n" + tables.value() + "\n");
}

}  // namespace
}  // namespace rangefinder
