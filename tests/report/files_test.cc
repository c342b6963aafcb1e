// The run directory: the same bytes from the same capture, valid documents,
// golden cases.

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "analysis/report_files.h"
#include "base/file.h"
#include "base/text.h"
#include "base/write_file.h"
#include "tests/support/analyze.h"
#include "tests/support/rep_builder.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using testing::AnalyzeFile;
using testing::Fixture;

constexpr const char* kCaptures[] = {
    "nested_basic.ncu-rep",    "multiproc.ncu-rep",  "range_ABprefill.ncu-rep",
    "apprange_nested.ncu-rep", "graph_node.ncu-rep", "graph_graph.ncu-rep",
    "nested_full_A.ncu-repz",
};

class SourceDateEpoch {
 public:
  explicit SourceDateEpoch(const char* seconds) {
    ::setenv("SOURCE_DATE_EPOCH", seconds, 1);
  }
  ~SourceDateEpoch() { ::unsetenv("SOURCE_DATE_EPOCH"); }
};

std::map<std::string, std::string> MakeFiles(
    const fs::path& capture, const fs::path& run_dir,
    MetricsInPlace in_place = MetricsInPlace::kAuto) {
  const auto analysis = AnalyzeFile(capture);
  ReportOptions options = ReportOptionsOf(ShippedSettings());
  options.in_place = in_place;
  const Status status = WriteReportFiles(MakeReport(*analysis, options),
                                         run_dir, [](std::string_view) {});
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message());
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(run_dir)) {
    if (entry.is_regular_file())
      files[fs::relative(entry.path(), run_dir).string()] =
          ReadFile(entry.path()).value();
  }
  return files;
}

TEST(Files, AreTheSameWhenMadeTwice) {
  const SourceDateEpoch epoch("1700000000");
  for (const char* capture : kCaptures) {
    SCOPED_TRACE(capture);
    const TempDir once;
    const TempDir twice;
    const auto first = MakeFiles(Fixture(capture), once.path());
    const auto second = MakeFiles(Fixture(capture), twice.path());
    EXPECT_GE(first.size(), 7U);
    EXPECT_TRUE(first.contains("ncu/regions/report.json"));
    EXPECT_EQ(first.size(), second.size());
    for (const auto& [name, bytes] : first)
      EXPECT_TRUE(second.at(name) == bytes) << name;
  }
}

TEST(Files, DifferByTheTimeAloneWhereItIsNotSet) {
  const auto at = [](const char* seconds) {
    const SourceDateEpoch epoch(seconds);
    const TempDir folder;
    return MakeFiles(Fixture("graph_node.ncu-rep"), folder.path());
  };
  const auto first = at("1700000000");
  const auto second = at("1800000000");
  ASSERT_EQ(first.size(), second.size());
  for (const auto& [name, bytes] : first) {
    std::string other = second.at(name);
    const std::string_view time = "2027-01-15T08:00:00Z";
    for (std::size_t i = 0; (i = other.find(time, i)) != other.npos;)
      other.replace(i, time.size(), "2023-11-14T22:13:20Z");
    EXPECT_TRUE(other == bytes) << name;
  }
}

TEST(Files, AFormatThatIsNotWantedIsNotWritten) {
  const auto analysis = AnalyzeFile(Fixture("graph_graph.ncu-rep"));
  const TempDir folder;
  ReportOptions options = ReportOptionsOf(ShippedSettings());
  options.files = {.formats = {"json"}, .csv = false};
  ASSERT_TRUE(WriteReportFiles(MakeReport(*analysis, options), folder.path(),
                               [](std::string_view) {})
                  .ok());
  const fs::path regions = folder.path() / "ncu/regions";
  EXPECT_TRUE(fs::exists(regions / "report.json"));
  EXPECT_FALSE(fs::exists(regions / "report.html"));
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    EXPECT_NE(entry.path().extension(), ".md") << entry.path();
    EXPECT_NE(entry.path().extension(), ".csv") << entry.path();
  }
}

TEST(Files, TextsThatFilesShareAreThoseOfEachFileAlone) {
  const auto analysis = AnalyzeFile(Fixture("nested_basic.ncu-rep"));
  const Report report = testing::ShippedReport(*analysis);
  const auto text = [](const auto& write) {
    std::ostringstream out;
    write(out);
    return std::move(out).str();
  };
  const RunJson json(report);
  const RunCsv csv(report, true);
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_EQ(text([&](auto& out) { json.Write(out); }),
              text([&](auto& out) { WriteJson(report, out); }));
    EXPECT_EQ(text([&](auto& out) { csv.Write(out); }),
              text([&](auto& out) { WriteCsv(report, out); }));
  }
  ASSERT_GT(report.tree->regions().size(), 10U);
  for (std::size_t i = 1; i < report.tree->regions().size(); ++i) {
    const auto region = static_cast<RegionId>(i);
    EXPECT_EQ(
        text([&](auto& out) { json.WriteRegion(region, out); }),
        text([&](auto& out) { RunJson(report).WriteRegion(region, out); }));
    EXPECT_EQ(text([&](auto& out) { csv.WriteRegion(region, out); }),
              text([&](auto& out) {
                RunCsv(report, false).WriteRegion(region, out);
              }));
  }
}

TEST(Files, FoldersOfRegionsThatAreGoneLeaveAndOthersStay) {
  const TempDir folder;
  const auto all = AnalyzeFile(Fixture("nested_basic.ncu-rep"));
  Settings settings = ShippedSettings();
  settings.analysis.selection.include = {"B"};
  const auto b = AnalyzeFile(Fixture("nested_basic.ncu-rep"), settings);
  const auto write = [&](const Analysis& analysis) {
    ReportOptions options = ReportOptionsOf(ShippedSettings());
    options.files.formats = {"json"};
    ASSERT_TRUE(WriteReportFiles(MakeReport(analysis, options), folder.path(),
                                 [](std::string_view) {})
                    .ok());
  };
  write(*all);
  const fs::path regions = folder.path() / "ncu/regions";
  EXPECT_TRUE(fs::exists(regions / "A__A1/report.json"));
  fs::create_directories(regions / "mine");
  ASSERT_TRUE(WriteFile(regions / "mine/notes.txt", "keep").ok());
  write(*b);
  EXPECT_FALSE(fs::exists(regions / "A__A1"));
  EXPECT_TRUE(fs::exists(regions / "B/report.json"));
  EXPECT_TRUE(fs::exists(regions / "mine/notes.txt"));
}

// Every report.json, of runs and of regions, with metrics packed and without,
// against docs/report.schema.json.
TEST(Files, JsonKeepsToItsSchema) {
  const TempDir folder;
  std::string paths;
  const auto add = [&](std::string_view capture, MetricsInPlace in_place) {
    const fs::path run =
        folder.path() /
        fmt::format("{}.{}", capture, static_cast<int>(in_place));
    for (const auto& [name, bytes] :
         MakeFiles(Fixture(capture), run, in_place)) {
      const bool all_regions = capture.starts_with("range");
      if (name == "ncu/regions/report.json" ||
          (all_regions && name.ends_with("/report.json")))
        paths += " " + ShellQuote((run / name).string());
    }
  };
  for (const char* capture : kCaptures) {
    add(capture, MetricsInPlace::kAll);
    add(capture, MetricsInPlace::kRequested);
  }
  const std::string hostile = testing::BuildRep(
      "kernel <k> gpu__time_duration.sum=5 @ \\xff\\x0a/ \nkernel\n");
  const fs::path run = folder.path() / "hostile";
  MakeFiles(testing::WriteTo(folder, "hostile.ncu-rep", hostile), run);
  paths += " " + ShellQuote((run / "ncu/regions/report.json").string());

  const std::string tool =
      ShellQuote(RANGEFINDER_SOURCE_DIR "/tools/validate_report.py");
  // Debian's module is of Debian's Python, which need not be the first one.
  int status = 77 << 8;
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    if (WEXITSTATUS(status) != 77) break;
    status = std::system((std::string(python) + " " + tool + paths).c_str());
  }
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "NO SCHEMA WAS CHECKED: no Python with jsonschema here";
  EXPECT_EQ(status, 0);
}

// tests/golden/<case>/profile.txt, drawn as text, to the bytes of the report.
// RANGEFINDER_UPDATE_GOLDEN=1 writes them anew.
TEST(Files, GoldenCasesAreAsRecorded) {
  const SourceDateEpoch epoch("1700000000");
  const fs::path golden = fs::path(RANGEFINDER_SOURCE_DIR) / "tests/golden";
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(golden)) {
    if (!fs::exists(entry.path() / "profile.txt")) continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++cases;
    const TempDir folder;
    const auto analysis = AnalyzeFile(testing::WriteTo(
        folder, "drawn.ncu-rep",
        testing::BuildRep(ReadFile(entry.path() / "profile.txt").value())));
    // The capture's own path is a temporary one.
    for (Artifact& artifact : analysis->profile.artifacts)
      artifact.path = "drawn.ncu-rep";
    const auto documents = testing::WriteAll(testing::ShippedReport(*analysis));
    const std::map<std::string, const std::string*> files = {
        {"report.md", &documents.markdown},
        {"report.json", &documents.json},
        {"raw.csv", &documents.csv},
        {"terminal.txt", &documents.terminal},
    };
    for (const auto& [name, bytes] : files) {
      if (std::getenv("RANGEFINDER_UPDATE_GOLDEN") != nullptr) {
        ASSERT_TRUE(WriteFile(entry.path() / name, *bytes).ok());
      }
      const auto recorded = ReadFile(entry.path() / name);
      ASSERT_TRUE(recorded.ok()) << name;
      EXPECT_EQ(recorded.value(), *bytes) << name;
    }
  }
  EXPECT_GE(cases, 3U);
}

}  // namespace
}  // namespace rangefinder
