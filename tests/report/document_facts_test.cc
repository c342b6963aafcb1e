// Facts that `diff` takes from a report.json against those from the capture.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/run_facts.h"
#include "ingest/report/report_reader.h"
#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

using testing::AnalyzeFile;
using testing::AnalyzeText;
using testing::AnalyzeTrace;
using testing::Documents;
using ::testing::ElementsAre;
using testing::Fixture;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::WriteAll;

std::string Drawn(std::optional<double> value) {
  return value ? fmt::format("{:.6g}", *value) : "-";
}

// By path, since a document's regions are in the order of reading. How kernels
// were launched a document does not say.
std::map<std::string, std::string> Draw(const RunFacts& run) {
  std::map<std::string, std::string> drawn;
  std::vector<std::string> paths;
  for (const RegionFacts& region : run.regions) {
    const bool whole = paths.empty();
    paths.push_back(whole ? "" : paths[region.parent] + "/" + region.frame);
    std::string text =
        fmt::format("time {} cpu {} wall {} x{} {}\n", Drawn(region.time_ns),
                    Drawn(region.cpu_ns),
                    fmt::join(region.wall.value_or(WallTime{}).ns, " "),
                    region.instances.value_or(0), region.launches.value_or(0));
    if (!whole)
      text += fmt::format("own {} {}\n", Drawn(region.own_ns),
                          region.own_launches.value_or(0));
    for (const auto& [name, kernel] : region.kernels)
      text += fmt::format("  {} {} {}\n", name, kernel.launches,
                          Drawn(kernel.time_ns));
    for (const auto& [name, counter] : region.counters)
      text += fmt::format("  {} {} {} {}\n", name, Drawn(counter.value),
                          Drawn(counter.error), counter.exact);
    drawn[paths.back()] = text;
  }
  return drawn;
}

class DocumentFacts : public ::testing::TestWithParam<const char*> {};

TEST_P(DocumentFacts, AreThoseOfTheCapture) {
  const auto analysis = AnalyzeFile(Fixture(GetParam()));
  ReportOptions options;
  options.in_place = MetricsInPlace::kAll;
  const Report report = MakeReport(*analysis, options);
  const Documents documents = WriteAll(report);
  ASSERT_TRUE(IsReportJson(documents.json));
  const auto facts = FactsOfDocument(documents.json, "run");
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  const RunFacts of_report = FactsOfRun(report, "run");
  EXPECT_GE(facts.value().regions.size(), 2);
  EXPECT_EQ(Draw(facts.value()), Draw(of_report));
  EXPECT_EQ(facts.value().units, of_report.units);
}

INSTANTIATE_TEST_SUITE_P(Captures, DocumentFacts,
                         ::testing::Values("nested_basic.ncu-rep",
                                           "multiproc.ncu-rep",
                                           "graph_graph.ncu-rep"));

// As in reports, and apart from the whole run, whose path is empty.
TEST(DocumentFacts, ShowARegionWithoutANameAsQuotes) {
  const auto analysis = AnalyzeTrace(R"(10 push @
11 push D@
12 launch 1
40 pop
50 pop
kernel k 15-30 of=1)");
  const Report report = MakeReport(*analysis, {});
  const auto facts = FactsOfDocument(WriteAll(report).json, "run");
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  for (const RunFacts& run : {facts.value(), FactsOfRun(report, "run")}) {
    std::vector<std::string> frames;
    for (const RegionFacts& region : run.regions)
      frames.push_back(region.frame);
    EXPECT_THAT(frames, ElementsAre("", "\"\"", "D@\"\""));
  }
}

// A sum over some of the launches is not the time of the region, and likewise
// for counters.
TEST(DocumentFacts, PartlyMeasuredValuesAreNone) {
  const auto analysis = AnalyzeText(
      "kernel k gpu__time_duration.sum=5 dram__bytes.sum=1 @ A\n"
      "kernel k sm__cycles_active.avg=1 @ A/B\n"
      "kernel k gpu__time_duration.sum=7 dram__bytes.sum=1 @ C\n");
  const Report report = MakeReport(*analysis, {});
  const auto facts = FactsOfDocument(WriteAll(report).json, "run");
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  for (const RunFacts& run : {facts.value(), FactsOfRun(report, "run")}) {
    std::string times;
    for (const RegionFacts& region : run.regions)
      times += fmt::format("{}: {} {} {}\n", region.frame,
                           Drawn(region.time_ns), Drawn(region.own_ns),
                           region.counters.contains("dram__bytes.sum"));
    EXPECT_THAT(times, HasSubstr("A: - 5 false\n"));
    EXPECT_THAT(times, HasSubstr("B: - - false\n"));
    EXPECT_THAT(times, HasSubstr("C: 7 7 true\n"));
    EXPECT_THAT(times, StartsWith(": - "));
  }
}

// Brackets and quotes in values that are passed over are text there.
TEST(DocumentFacts, PassesOverWhatIsNotKept) {
  const std::string text = R"({"schema": "rangefinder.report/2",
    "left": {"a": ["}", "]\"}", "\\", {"b": "\\\""}], "c": {}},
    "scopes": [{"scope": "aggregate", "regions": [
      {"id": 1, "path": ["a"], "sections": {"s": ["{[\""]},
       "inclusive": {"kernel_count": 2, "gpu_time_ns": 7}}]},
      {"scope": "process:1/device:0", "regions": [{"id": "\"}]"}]}]})";
  std::size_t forgotten = 0;
  const auto facts = FactsOfDocument(
      text, "run", [&](std::string_view part) { forgotten += part.size(); });
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  ASSERT_EQ(facts.value().regions.size(), 2);
  EXPECT_EQ(facts.value().regions[1].frame, "a");
  EXPECT_EQ(facts.value().regions[1].launches, 2U);
  EXPECT_EQ(forgotten, 0U) << "only large parts are worth it";
  // Every cut of it is refused, wherever a value is left open.
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(FactsOfDocument(text.substr(0, size), "run").ok()) << size;
}

std::string Refused(std::string_view text) {
  const auto facts = FactsOfDocument(text, "run");
  return facts.ok() ? "" : std::string(facts.error().message());
}

TEST(DocumentFactsText, AnotherDocumentIsNone) {
  EXPECT_FALSE(IsReportJson(""));
  EXPECT_FALSE(IsReportJson("[1]"));
  EXPECT_FALSE(IsReportJson(R"({"schema": "rangefinder.diff/1"})"));
  EXPECT_TRUE(IsReportJson(R"({ "schema": "rangefinder.report/2",)"));
}

TEST(DocumentFactsText, NumbersThatCannotBeAreLeftOut) {
  const auto facts = FactsOfDocument(
      R"({"scopes": [{"scope": "aggregate", "regions": [
            {"id": 1, "path": ["a"], "summary": {"source": "undisturbed"},
             "kernels": [
               {"kernel_name": "k", "calls": 0, "own_calls": 3,
                "traced": {"calls": 3, "total_ms": 1}},
               {"kernel_name": "l", "calls": 1,
                "traced": {"calls": 18446744073709551615, "total_ms": 1}}]}
          ]}]})",
      "run");
  ASSERT_TRUE(facts.ok());
  const auto& kernels = facts.value().regions.at(1).kernels;
  EXPECT_FALSE(kernels.contains("k"));
  EXPECT_EQ(kernels.at("l").launches, 1000000000000000000U);
}

TEST(DocumentFactsText, DamageIsSaid) {
  EXPECT_THAT(Refused(R"({"schema": "rangefinder.report/2", "scopes": [)"),
              HasSubstr("parse error"));
  EXPECT_THAT(Refused(R"({"schema": "rangefinder.report/2"})"),
              HasSubstr("without scopes"));
  EXPECT_THAT(
      Refused(R"({"scopes": [{"scope": "aggregate", "regions": [{}]}]})"),
      HasSubstr("without a path"));
  EXPECT_THAT(Refused(R"({"scopes": [{"scope": "aggregate", "regions":
                         [{"id": 2, "path": ["a"], "parent_id": 1}]}]})"),
              HasSubstr("its parent 1"));
  EXPECT_THAT(Refused(R"({"scopes": [{"scope": "process:1/device:0"},
                         {"scope": "process:2/device:0"}]})"),
              HasSubstr("without their aggregate"));
}

}  // namespace
}  // namespace rangefinder
