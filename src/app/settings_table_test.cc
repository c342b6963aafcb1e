// Each row of the settings table is read into its own member, and no other row
// knows of it; the files that are made of the table are as the table says.

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config_text.h"
#include "app/setting.h"
#include "app/settings.h"
#include "base/text.h"

namespace rangefinder {
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

// ---- Files that are made of the table
// ----------------------------------------

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
