// Selection, end to end on real captures: the report shows the requested
// regions, its metrics are theirs, and a note names the rest.

#include <cmath>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/report_files.h"
#include "report/documents.h"
#include "report/folder.h"
#include "tests/support/analyze.h"
#include "tests/support/draw.h"
#include "tests/support/rep_builder.h"
#include "tests/support/trace_builder.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

using Json = nlohmann::json;
using testing::AnalyzeFile;
using testing::AnalyzeFiles;
using ::testing::ElementsAre;
using testing::Fixture;
using ::testing::HasSubstr;
using ::testing::Not;

Json DocumentOf(const Analysis& analysis, const Settings& settings) {
  std::ostringstream out;
  WriteJson(MakeReport(analysis, ReportOptionsOf(settings)), out);
  return Json::parse(out.str());
}

Json ReportJson(std::string_view capture,
                const Settings& settings = ShippedSettings()) {
  return DocumentOf(*AnalyzeFile(Fixture(capture), settings), settings);
}

std::set<std::string> Paths(const Json& scope) {
  std::set<std::string> paths;
  for (const Json& region : scope["regions"])
    paths.insert(region["path"].dump());
  return paths;
}

const Json* Find(const Json& scope, const std::string& path) {
  for (const Json& region : scope["regions"]) {
    if (region["path"].dump() == path) return &region;
  }
  return nullptr;
}

std::set<std::string> KernelNames(const Json& scope) {
  std::set<std::string> names;
  for (const Json& region : scope["regions"]) {
    for (const Json& row : region["kernels"])
      names.insert(row["kernel_name"].get<std::string>());
  }
  return names;
}

std::vector<std::string> NoteKinds(const Json& document) {
  std::vector<std::string> kinds;
  for (const Json& note : document["notes"]) kinds.push_back(note["kind"]);
  return kinds;
}

// SC-001: distinct sections for A, A::A1 and B with the configured metrics, and
// no kernel from outside.
TEST(Selection, EachRegionHasItsOwnSectionAndNoKernelFromOutside) {
  Settings settings = ShippedSettings();
  settings.analysis.selection.include = {"A", "B"};
  const Json document = ReportJson("nested_basic.ncu-rep", settings);
  const Json& scope = document["scopes"][0];
  EXPECT_THAT(Paths(scope),
              ElementsAre(R"(["A","A::A1"])", R"(["A"])", R"(["B"])"));
  EXPECT_EQ(scope["totals"]["kernel_count"], 8);
  EXPECT_EQ(Find(scope, R"(["A","A::A1"])")->at("kernels").size(), 1U);
  EXPECT_EQ(Find(scope, R"(["B"])")->at("kernels")[0]["calls"], 2);
  EXPECT_EQ(Find(scope, R"(["A"])")->at("selection")["include_patterns"],
            Json({"A", "B"}));

  const auto analysis = AnalyzeFile(Fixture("nested_basic.ncu-rep"), settings);
  std::ostringstream out;
  WriteMarkdown(RunDocument(MakeReport(*analysis, ReportOptionsOf(settings))),
                out);
  const std::string markdown = out.str();
  EXPECT_THAT(markdown, ::testing::StartsWith("# NCU Region Reports\n"));
  for (const char* heading : {"\n## A\n", "\n## A › A::A1\n", "\n## B\n"})
    EXPECT_THAT(markdown, ::testing::HasSubstr(heading));
  EXPECT_THAT(markdown, Not(::testing::HasSubstr("prefill")));
}

// SC-002: the documents for people have the configured metrics and no others.
TEST(Selection, TheMetricsShownAreThoseAskedFor) {
  const auto markdown = [](std::vector<std::string> metrics) {
    Settings settings = ShippedSettings();
    settings.report.metrics = std::move(metrics);
    const auto analysis = AnalyzeFile(Fixture("multiproc.ncu-rep"), settings);
    std::ostringstream out;
    WriteMarkdown(RunDocument(MakeReport(*analysis, ReportOptionsOf(settings))),
                  out);
    return out.str();
  };
  const std::string bytes = markdown({"dram__bytes.sum"});
  EXPECT_THAT(bytes, ::testing::HasSubstr("`dram__bytes.sum`"));
  EXPECT_THAT(bytes, Not(::testing::HasSubstr("sm__throughput")));
  // As asked of ncu, where nothing else is said.
  const std::string all = markdown({});
  EXPECT_THAT(all, ::testing::HasSubstr("`dram__bytes.sum`"));
  EXPECT_THAT(all, ::testing::HasSubstr("`sm__throughput.avg"));
}

// SC-003: include-only and include + exclude reduce the kernels, and the
// metrics are of that subset.
TEST(Selection, MetricsAreOfTheSelectedKernels) {
  const Json all = ReportJson("nested_basic.ncu-rep");
  Settings settings = ShippedSettings();
  settings.analysis.selection.kernels_include = {"regex:saxpy|burn"};
  const Json some = ReportJson("nested_basic.ncu-rep", settings);
  settings.analysis.selection.kernels_exclude = {"*burn*"};
  const Json fewer = ReportJson("nested_basic.ncu-rep", settings);

  EXPECT_EQ(KernelNames(all["scopes"][0]).size(), 3U);
  EXPECT_EQ(KernelNames(some["scopes"][0]).size(), 2U);
  EXPECT_THAT(KernelNames(fewer["scopes"][0]),
              ElementsAre("saxpy(int, float, const float *, float *)"));

  const Json& a = *Find(fewer["scopes"][0], R"(["A"])");
  EXPECT_EQ(a["kernel_count"], 2);
  double ns = 0;
  for (const Json& row : Find(all["scopes"][0], R"(["A"])")->at("kernels")) {
    if (row["kernel_name"].get<std::string>().starts_with("saxpy"))
      ns += row["total_ms"].get<double>() * 1e6;
  }
  EXPECT_NEAR(a["inclusive"]["gpu_time_ns"].get<double>(), ns, 1e-6 * ns);
  EXPECT_THAT(NoteKinds(fewer), ElementsAre("kernels_not_selected"));
}

TEST(Selection, ExcludeWins) {
  Settings settings = ShippedSettings();
  settings.analysis.selection.include = {"A", "regex:^decode"};
  settings.analysis.selection.exclude = {"decode_1", "A/**"};
  const Json document = ReportJson("nested_basic.ncu-rep", settings);
  const auto paths = Paths(document["scopes"][0]);
  EXPECT_TRUE(paths.contains(R"(["LLM@decode_0"])"));
  EXPECT_FALSE(paths.contains(R"(["LLM@decode_1"])"));
  EXPECT_FALSE(paths.contains(R"(["A","A::A1"])"));
}

// SC-004: nested totals reconcile: exactly, not within a percent.
TEST(Selection, NestedTotalsReconcile) {
  const Json document = ReportJson("nested_basic.ncu-rep");
  const Json& scope = document["scopes"][0];
  const auto ns = [&](const char* path, const char* which) {
    return Find(scope, path)->at(which)["gpu_time_ns"].get<double>();
  };
  EXPECT_DOUBLE_EQ(
      ns(R"(["A"])", "inclusive"),
      ns(R"(["A"])", "exclusive") + ns(R"(["A","A::A1"])", "inclusive"));
  EXPECT_DOUBLE_EQ(
      ns(R"(["S1"])", "inclusive"),
      ns(R"(["S1"])", "exclusive") + ns(R"(["S1","S2"])", "inclusive"));
}

// SC-005: scopes always; disabling the aggregate removes the aggregate and
// nothing else.
TEST(Selection, WithoutTheAggregateEverythingElseIsAsBefore) {
  const Json with = ReportJson("multiproc.ncu-rep");
  Settings settings = ShippedSettings();
  settings.analysis.rollup.aggregate = false;
  const Json without = ReportJson("multiproc.ncu-rep", settings);
  ASSERT_EQ(with["scopes"].size(), 3U);
  ASSERT_EQ(without["scopes"].size(), 2U);
  EXPECT_EQ(with["scopes"][0]["scope"], "aggregate");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(with["scopes"][i + 1], without["scopes"][i]);
  Json rest = with;
  Json rest_without = without;
  // Headlines are of the first scope.
  EXPECT_EQ(with["aggregate_scope"], 0);
  EXPECT_TRUE(without["aggregate_scope"].is_null());
  for (const char* by_scope :
       {"scopes", "columns", "headlines", "aggregate_scope"}) {
    rest.erase(by_scope);
    rest_without.erase(by_scope);
  }
  rest.erase("generated_at");
  rest_without.erase("generated_at");
  EXPECT_EQ(rest, rest_without);
}

TEST(Selection, WithoutTheAggregateAOneProcessReportStillHasItsTree) {
  Settings settings = ShippedSettings();
  settings.analysis.rollup.aggregate = false;
  const auto analysis = AnalyzeFile(Fixture("nested_basic.ncu-rep"), settings);
  const auto documents =
      testing::WriteAll(MakeReport(*analysis, ReportOptionsOf(settings)));
  EXPECT_THAT(documents.markdown, ::testing::HasSubstr("A::A1"));
  EXPECT_THAT(documents.terminal,
              ::testing::HasSubstr("process:1936/device:0"));
}

TEST(Selection, WithoutTheAggregateNoRegionVanishes) {
  const TempDir folder;
  const std::vector<std::filesystem::path> files = {
      testing::WriteTo(folder, "1.rftrace",
                       testing::BuildTrace("process pid=7\n10 push A\n"
                                           "11 launch 1\n12 launched\n20 pop\n"
                                           "kernel f 13-14 of=1 device=0\n")),
      testing::WriteTo(folder, "2.rftrace",
                       testing::BuildTrace("process pid=8\n10 push B\n"
                                           "12 push C\n15 pop\n20 pop\n")),
      testing::WriteTo(
          folder, "3.rftrace",
          testing::BuildTrace("process pid=9\n10 push D\n11 launch 1\n"
                              "12 launched\n20 pop\n"
                              "copy 13-14 of=1 bytes=64 device=0\n")),
  };
  Settings settings = ShippedSettings();
  const auto drawn = [&](const Json& document) {
    std::vector<std::string> scopes;
    for (const Json& scope : document["scopes"]) {
      scopes.push_back(scope["scope"].get<std::string>());
      for (const std::string& path : Paths(scope)) scopes.back() += " " + path;
    }
    return scopes;
  };
  EXPECT_THAT(drawn(DocumentOf(*AnalyzeFiles(files, settings), settings)),
              ElementsAre(R"(aggregate ["A"] ["B","C"] ["B"] ["D"])",
                          R"(process:7/device:0 ["A"])"));

  settings.analysis.rollup.aggregate = false;
  const auto analysis = AnalyzeFiles(files, settings);
  const Json document = DocumentOf(*analysis, settings);
  // Without GPU work, a process is on device -1.
  EXPECT_THAT(drawn(document),
              ElementsAre(R"(process:7/device:0 ["A"])",
                          R"(process:8/device:-1 ["B","C"] ["B"])",
                          R"(process:9/device:0 ["D"])"));
  EXPECT_EQ(document["scopes"][1]["process"], 8);
  EXPECT_TRUE(document["scopes"][1]["device"].is_null());
  EXPECT_EQ(document["scopes"][1]["totals"]["kernel_count"], 0);
  EXPECT_EQ(
      Find(document["scopes"][2], R"(["D"])")->at("times")["gpu"]["copies"], 1);
  const auto documents =
      testing::WriteAll(MakeReport(*analysis, ReportOptionsOf(settings)));
  EXPECT_THAT(documents.terminal, ::testing::HasSubstr("process:8/device:-1"));
  EXPECT_THAT(documents.markdown, ::testing::HasSubstr("process:8/device:-1"));

  // A report.json with such a scope is read as it was written.
  std::ostringstream written;
  WriteJson(MakeReport(*analysis, ReportOptionsOf(settings)), written);
  const auto again = AnalyzeFile(
      testing::WriteTo(folder, "report.json", written.str()), settings);
  EXPECT_EQ(drawn(DocumentOf(*again, settings)), drawn(document));
}

// A report without regions says why: the program has none, or the settings
// leave them out.
TEST(Selection, WithoutRegionsTheReasonIsGiven) {
  const std::string program =
      "process pid=7\n"
      "10 push A\n11 launch 1\n12 launched\n20 pop\n"
      "30 push A\n31 launch 2\n32 launched\n40 pop\n"
      "50 launch 3\n51 launched\n"
      "kernel f 13-14 of=1 device=0\nkernel f 33-34 of=2 device=0\n"
      "kernel g 53-54 of=3 device=0\n";
  const auto reason = [](const std::string& text, const Settings& settings) {
    const auto analysis = testing::AnalyzeTrace(text, settings);
    for (const Note& note : analysis->notes.all()) {
      if (note.kind == kNoMatchingRegions) return note.text;
    }
    return std::string();
  };
  Settings settings = ShippedSettings();
  EXPECT_EQ(reason(program, settings), "");
  settings.analysis.instances.skip = 5;
  EXPECT_EQ(reason(program, settings),
            "regions.instances leaves out every launch inside NVTX ranges: "
            "only the kernels outside of ranges are reported");
  EXPECT_EQ(reason("process pid=7\n50 launch 3\n51 launched\n"
                   "kernel g 53-54 of=3 device=0\n",
                   settings),
            "no NVTX range was open at a launch: the kernels of the whole "
            "program are reported");
  settings.analysis.instances = {};
  settings.analysis.selection.domains_include = {"LLM"};
  EXPECT_EQ(reason(program, settings),
            "regions.domains or regions.start_end leaves out every NVTX range "
            "that was open at a launch");
}

TEST(Selection, WhatMatchesNothingIsAnAnswerWithANote) {
  Settings settings = ShippedSettings();
  settings.analysis.selection.include = {"no such region"};
  const auto analysis = AnalyzeFile(Fixture("nested_basic.ncu-rep"), settings);
  const Json document = DocumentOf(*analysis, settings);
  EXPECT_TRUE(document["scopes"][0]["regions"].empty());
  EXPECT_EQ(document["scopes"][0]["totals"]["kernel_count"], 0);
  EXPECT_THAT(NoteKinds(document), ::testing::Contains("nothing_selected"));
  const auto documents =
      testing::WriteAll(MakeReport(*analysis, ReportOptionsOf(settings)));
  for (const std::string* text : {&documents.markdown, &documents.terminal})
    EXPECT_THAT(*text, ::testing::HasSubstr("matches nothing"));
  // And no failure: files are written, with no folder of a region.
  const TempDir folder;
  EXPECT_TRUE(WriteReportFiles(MakeReport(*analysis, ReportOptionsOf(settings)),
                               folder.path(), [](std::string_view) {})
                  .ok());
  EXPECT_TRUE(
      std::filesystem::exists(folder.path() / "ncu/regions/report.json"));
}

TEST(Selection, UnattributedIsARegionLikeTheOthers) {
  Settings settings = ShippedSettings();
  settings.analysis.selection.include = {"(unattributed)"};
  const Json document = ReportJson("nested_basic.ncu-rep", settings);
  ASSERT_EQ(document["scopes"][0]["regions"].size(), 1U);
  const Json& region = document["scopes"][0]["regions"][0];
  EXPECT_EQ(region["name"], "(unattributed)");
  EXPECT_TRUE(region["path"].empty());
  EXPECT_EQ(region["kernel_count"], 4);
  settings.analysis.selection.include.clear();
  settings.analysis.selection.exclude = {"(unattributed)"};
  EXPECT_EQ(ReportJson("nested_basic.ncu-rep",
                       settings)["scopes"][0]["totals"]["kernel_count"],
            24);
}

TEST(Selection, DomainsLeavePathsAndMeasurementsStay) {
  Settings settings = ShippedSettings();
  settings.analysis.selection.domains_exclude = {"LLM"};
  const Json document = ReportJson("nested_basic.ncu-rep", settings);
  EXPECT_EQ(document["scopes"][0]["totals"]["kernel_count"], 28);
  EXPECT_EQ(Find(document["scopes"][0], "[]")->at("kernel_count"), 13);
  EXPECT_THAT(NoteKinds(document), ElementsAre("domains_not_selected"));
}

TEST(Selection, ABadPatternIsAUsageErrorThatNamesItsKey) {
  Settings settings = ShippedSettings();
  settings.analysis.selection.include = {"regex:("};
  const std::vector<std::filesystem::path> files = {
      Fixture("graph_graph.ncu-rep")};
  const auto analysis = Analyze(files, settings.analysis);
  ASSERT_FALSE(analysis.ok());
  EXPECT_EQ(analysis.error().code(), ErrorCode::kUsage);
  EXPECT_THAT(analysis.error().message(),
              ::testing::HasSubstr("regions.include"));
}

TEST(Selection, ManyRegionsAreCutInTablesAndWholeInJson) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += fmt::format("kernel k{} gpu__time_duration.sum={} @ r{}\n", i,
                        i + 1, i);
  Settings settings = ShippedSettings();
  settings.report.max_rows = 10;
  const TempDir folder;
  const std::vector<std::filesystem::path> files = {
      testing::WriteTo(folder, "many.ncu-rep", testing::BuildRep(text))};
  const auto analysis = Analyze(files, settings.analysis);
  ASSERT_TRUE(analysis.ok());
  const auto documents = testing::WriteAll(
      MakeReport(*analysis.value(), ReportOptionsOf(settings)));
  EXPECT_EQ(Json::parse(documents.json)["scopes"][0]["regions"].size(), 300U);
  EXPECT_THAT(documents.markdown, ::testing::HasSubstr("290 more regions"));
  EXPECT_THAT(documents.terminal, ::testing::HasSubstr("290 more regions"));
}

TEST(Selection, TablesOfAReportNameNoOptionsOfTheTerminal) {
  // 44 regions; the first has seven kernels. Their names are not alike.
  std::string text, kernels;
  int launch = 0;
  for (int i = 0; i < 44; ++i) {
    const std::string name = {static_cast<char>('a' + i % 26),
                              static_cast<char>('a' + i / 26)};
    text += fmt::format("{} push {}\n", 100 * i, name);
    for (int k = 0; k < (i == 0 ? 7 : 1); ++k) {
      const int at = 100 * i + 5 * k;
      text += fmt::format("{} launch {}\n", at + 1, ++launch);
      kernels +=
          fmt::format("kernel k{}{} {}-{} of={}\n", name,
                      static_cast<char>('a' + k), at + 10, at + 14, launch);
    }
    text += fmt::format("{} pop\n", 100 * i + 50);
  }
  Settings settings = ShippedSettings();
  const auto analysis = testing::AnalyzeTrace(text + kernels, settings);
  const auto markdown = [&] {
    return testing::WriteAll(MakeReport(*analysis, ReportOptionsOf(settings)))
        .markdown;
  };
  EXPECT_THAT(markdown(),
              ::testing::AllOf(HasSubstr("4 more regions are not shown, with"),
                               HasSubstr("2 more kernels are not shown, with"),
                               Not(HasSubstr("--top"))));
  settings.report.max_rows = 2;
  EXPECT_THAT(
      markdown(),
      ::testing::AllOf(
          HasSubstr("5 more kernels are not shown (regions.max_rows=2)"),
          Not(HasSubstr("--top"))));
}

TEST(Selection, RegionsWithTheMostTimeHaveFolders) {
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += fmt::format("kernel k gpu__time_duration.sum={} @ r{}\n", i + 1, i);
  Settings settings = ShippedSettings();
  settings.report.max_folders = 2;
  const TempDir folder;
  const std::vector<std::filesystem::path> files = {
      testing::WriteTo(folder, "many.ncu-rep", testing::BuildRep(text))};
  const auto analysis = Analyze(files, settings.analysis);
  ASSERT_TRUE(analysis.ok());
  const rangefinder::Report report =
      MakeReport(*analysis.value(), ReportOptionsOf(settings));
  EXPECT_EQ(WithoutFolder(report), 28U);
  const auto regions =
      Json::parse(testing::WriteAll(report).json)["scopes"][0]["regions"];
  EXPECT_EQ(regions[0]["json_path"], "r29/report.json");
  EXPECT_EQ(regions[1]["json_path"], "r28/report.json");
  EXPECT_TRUE(regions[2]["json_path"].is_null());
}

// The document of a folder has all regions within its own.
TEST(Selection, RegionsNestedVeryDeepHaveNoFolders) {
  std::string path = "r";
  for (int i = 1; i < 40; ++i) path += i % 2 == 0 ? "/r" : "/s";
  const TempDir folder;
  const std::vector<std::filesystem::path> files = {testing::WriteTo(
      folder, "deep.ncu-rep",
      testing::BuildRep("kernel k gpu__time_duration.sum=1 @ " + path + "\n"))};
  const auto analysis = Analyze(files, ShippedSettings().analysis);
  ASSERT_TRUE(analysis.ok());
  const rangefinder::Report report = testing::ShippedReport(*analysis.value());
  EXPECT_EQ(WithoutFolder(report), 8U);
  const auto documents = testing::WriteAll(report);
  const auto regions = Json::parse(documents.json)["scopes"][0]["regions"];
  ASSERT_EQ(regions.size(), 40U);
  EXPECT_FALSE(regions[31]["json_path"].is_null());
  EXPECT_TRUE(regions[32]["json_path"].is_null());
}

}  // namespace
}  // namespace rangefinder
