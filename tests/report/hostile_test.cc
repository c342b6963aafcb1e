// Names that attack whoever shows them: as text in every format, and never as a
// path outside the run directory.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/report_files.h"
#include "base/characters.h"
#include "base/text.h"
#include "export/formats.h"
#include "tests/support/analyze.h"
#include "tests/support/csv.h"
#include "tests/support/profile_builder.h"
#include "tests/support/rep_builder.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using testing::WriteTo;

const std::vector<std::string> kNames = {
    "../../x",
    "/etc/passwd",
    "..",
    ".",
    "-rf",
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "<!--",
    "=cmd|' /C calc'!A0",
    "+1",
    "@SUM(A1)",
    "-2+3",
    "\t=1",
    "a|b",
    "`code` *bold* [link](javascript:alert(1))",
    "line\nbreak\r\n# heading",
    "",
    std::string(10000, 'n'),
    "\xff\xfe invalid \xc3\x28 \xed\xa0\x80",
    std::string("nul\0byte", 8),
    "\x1b[31mred\x1b]0;title\x07",
    "\xe2\x80\xaetxt.exe",  // right-to-left override
    "\xc2\x9b"
    "31m",  // C1 control sequence introducer
    "\xc2\x85\x7f\xd8\x9c next line, delete, Arabic letter mark",
    "\xe2\x81\xa6isolate\xe2\x81\xa9 \xe2\x80\x8emark\xe2\x80\x8f",
    "\xc2\x9d"
    "0;title\xc2\x9c",  // C1 operating system command
    "quote\"and'apostrophe\\backslash",
    "con",  // a device elsewhere
    "UPPER",
    "upper",
    "(unattributed)",
    "unattributed",
    "a/b",
    "a__b",
    "\xe2\x80\xa8separator\xe2\x80\xa9",
    "${hydra:runtime.cwd} %s %n {}",
};

// Each name as a region in two domains, a domain, a kernel and a process.
Profile HostileProfile() {
  Profile profile;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const StringId name = profile.strings.Intern(kNames[i]);
    profile.processes.push_back({.pid = i + 1, .name = name, .host = name});
    NvtxState state;
    state.domains = {{.id = 0}, {.id = 7, .name = name}};
    NvtxStack plain{.domain = 0, .thread = 1};
    plain.ranges = {{.name = name, .order = 1},
                    {.name = profile.strings.Intern("inner"), .order = 2}};
    NvtxStack named{.domain = 1, .thread = 1};
    named.ranges = {{.name = name, .order = 3}};
    state.stacks = {plain, named};
    state.start_end = {
        {.domain = 1, .thread = 1, .range = {.name = name, .order = 4}}};
    profile.nvtx_states.push_back(state);
    Measurement m;
    m.thread = 1;
    m.device = 0;
    m.process = static_cast<ProcessId>(i);
    m.demangled_name = m.function_name = m.mangled_name = name;
    m.nvtx = static_cast<NvtxStateId>(i + 1);
    m.first_sample = profile.samples.size();
    const auto sample = [&](std::string_view metric, Value value) {
      profile.samples.push_back({.metric = profile.InternMetric(metric),
                                 .kind = value.kind,
                                 .bits = value.bits});
      ++m.sample_count;
    };
    sample("gpu__time_duration.sum", Value::Number(1000));
    sample("launch__function_name", Value::Text(name));
    // A metric's name comes from the file too.
    sample(kNames[i] + "__x.sum.per_second", Value::Number(1));
    profile.measurements.push_back(m);
  }
  return profile;
}

class Hostile : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const TempDir folder;
    settings_.report.metrics = {"launch__function_name", "<script>|`__x"};
    const auto path = WriteTo(
        folder, "hostile.ncu-rep",
        testing::BuildRep(HostileProfile(),
                          {.command_line = "ncu --metrics <script>|`\n# x "
                                           "--clock-control <b>|`\n"}));
    analysis_ = testing::AnalyzeFile(path).release();
    documents_ = testing::WriteAll(testing::ShippedReport(*analysis_));
  }
  static void TearDownTestSuite() { delete analysis_; }

  static inline Settings settings_ = ShippedSettings();
  static inline Analysis* analysis_ = nullptr;
  static inline testing::Documents documents_{};
};

// Characters of `text` that nobody sees and terminals obey, but for `allowed`,
// and bytes that are no character.
std::string Unseen(std::string_view text, std::string_view allowed) {
  std::string unseen;
  while (!text.empty()) {
    const FirstCharacter first = FirstCharacterOf(text);
    const bool is_allowed = allowed.find(text[0]) != allowed.npos;
    if (!first.ok || (!is_allowed && !MayContain(TextPlace::kLine, first.code)))
      unseen += Printable(text.substr(0, first.length)) + " ";
    text.remove_prefix(first.length);
  }
  return unseen;
}

// Documents that people see hold no control character but the line feed (and,
// in CSV, the carriage return), no bidirectional override, and only UTF-8.
void ExpectPlain(const std::string& text, std::string_view allowed) {
  EXPECT_EQ(Unseen(text, allowed), "");
}

// Every format is looked at in a terminal or an editor at some time.
TEST_F(Hostile, NoFormatHoldsACharacterThatIsNotSeen) {
  const Report report = testing::ShippedReport(*analysis_);
  for (const Format& format : Formats()) {
    if (format.write == nullptr || format.is_binary) continue;
    std::ostringstream out;
    format.write(report, out);
    EXPECT_EQ(Unseen(out.str(), "\n\r\t"), "") << format.name;
  }
}

TEST_F(Hostile, JsonKeepsEveryNameAsItIs) {
  const auto document = nlohmann::json::parse(documents_.json);
  ASSERT_TRUE(IsValidUtf8(documents_.json));
  std::set<std::string> names;
  std::set<std::string> kernels;
  for (const auto& region : document["scopes"][0]["regions"]) {
    names.insert(region["name"].get<std::string>());
    for (const auto& row : region["kernels"])
      kernels.insert(row["kernel_name"].get<std::string>());
  }
  for (const std::string& name : kNames) {
    // Longer ones are shortened where they are read: ingest/long_names.h.
    EXPECT_EQ(names.contains(ValidUtf8(name)), name.size() <= 4096)
        << Ellipsize(Printable(name), 100);
    EXPECT_TRUE(kernels.contains(ValidUtf8(name))) << Printable(name);
  }
}

TEST_F(Hostile, MarkdownShowsTextAndNothingElse) {
  for (const std::string* text :
       {&documents_.markdown, &documents_.glance, &documents_.kernels}) {
    ExpectPlain(*text, "\n");
    EXPECT_EQ(text->find("<script"), text->npos);
    EXPECT_EQ(text->find("<img"), text->npos);
    EXPECT_EQ(text->find("<!--"), text->npos);
    EXPECT_EQ(text->find("[link]("), text->npos);
    EXPECT_EQ(text->find(std::string(1000, 'n')), text->npos);
    std::istringstream lines(*text);
    std::string line;
    std::size_t width = 0;
    while (std::getline(lines, line)) {
      EXPECT_FALSE(line.starts_with("# heading"));
      // Every row of a table has as many cells as its heading.
      std::size_t cells = 0;
      for (std::size_t i = 0; i < line.size(); ++i)
        cells += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
      if (!line.starts_with("|")) {
        width = 0;
      } else if (width == 0) {
        width = cells;
      } else {
        EXPECT_EQ(cells, width) << line;
      }
    }
  }
}

TEST_F(Hostile, TheTerminalGetsNoEscapeSequence) {
  ExpectPlain(documents_.terminal, "\n");
}

TEST_F(Hostile, CsvHasNoFormula) {
  ASSERT_TRUE(IsValidUtf8(documents_.csv));
  const auto rows = testing::ParseCsv(documents_.csv);
  ASSERT_EQ(rows.size(), kNames.size() + 1);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), rows[0].size());
    for (const std::string& cell : row) {
      if (cell.empty()) continue;
      char* end = nullptr;
      std::strtod(cell.c_str(), &end);
      if (*end == '\0' && end != cell.c_str()) continue;  // a number
      EXPECT_EQ(std::string_view("=+-@\t\r").find(cell[0]),
                std::string_view::npos)
          << Printable(cell);
    }
  }
}

TEST_F(Hostile, HtmlCannotBeBrokenOutOf) {
  EXPECT_TRUE(IsValidUtf8(documents_.html));
  EXPECT_EQ(documents_.html.find("<img src=x"), std::string::npos);
  EXPECT_EQ(documents_.html.find("<script>alert"), std::string::npos);
}

TEST_F(Hostile, NothingIsWrittenOutsideTheRunDirectory) {
  const TempDir folder;
  const fs::path run = folder.path() / "deep" / "run";
  const Report report = testing::ShippedReport(*analysis_);
  const Status status = WriteReportFiles(report, run, [](std::string_view) {});
  ASSERT_TRUE(status.ok()) << status.error().message();
  std::size_t outside = 0;
  std::set<std::string> folders;
  std::set<std::string> without_case;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    const std::string path = entry.path().string();
    if (path != (folder.path() / "deep").string() &&
        !path.starts_with(run.string()))
      ++outside;
    EXPECT_FALSE(entry.is_symlink());
    if (entry.path().parent_path() == run / "ncu/regions" &&
        entry.is_directory()) {
      std::string name = entry.path().filename().string();
      EXPECT_LE(name.size(), 100U);
      EXPECT_TRUE(std::ranges::all_of(name, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
      })) << name;
      EXPECT_FALSE(name.starts_with('.') || name.starts_with('-')) << name;
      folders.insert(name);
      std::ranges::transform(name, name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
      });
      without_case.insert(name);
    }
  }
  EXPECT_EQ(outside, 0U);
  // A folder a region, also where upper and lower case are one.
  EXPECT_EQ(folders.size(), analysis_->tree.regions().size() - 1);
  EXPECT_EQ(without_case.size(), folders.size());
}

// A region's document names its files: they are there.
TEST_F(Hostile, TheFilesThatAReportNamesAreThere) {
  const TempDir folder;
  Settings settings = ShippedSettings();
  settings.report.formats = {"json"};
  const Report report = MakeReport(*analysis_, ReportOptionsOf(settings));
  ASSERT_TRUE(
      WriteReportFiles(report, folder.path(), [](std::string_view) {}).ok());
  const fs::path regions = folder.path() / "ncu/regions";
  std::ifstream in(regions / "report.json");
  const auto document = nlohmann::json::parse(in);
  for (const auto& region : document["scopes"][0]["regions"]) {
    for (const auto& [key, value] : region.items()) {
      if (!key.ends_with("_path") || value.is_null()) continue;
      EXPECT_TRUE(fs::is_regular_file(regions / value.get<std::string>()))
          << key << " " << value;
    }
  }
}

}  // namespace
}  // namespace rangefinder
