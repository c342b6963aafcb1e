// What `diff` takes from a report.json against what it takes from the capture.

#include "diff/document_facts.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/run_facts.h"
#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

using testing::AnalyzeFile;
using testing::Documents;
using testing::Fixture;
using ::testing::HasSubstr;
using testing::WriteAll;

std::string Drawn(std::optional<double> value) {
  return value ? fmt::format("{:.6g}", *value) : "-";
}

// Everything but how kernels were launched, which a document does not say, and
// counters that are strings of digits apart.
std::string Draw(const RunFacts& run) {
  std::string text;
  for (std::size_t i = 0; i < run.regions.size(); ++i) {
    const RegionFacts& region = run.regions[i];
    text +=
        fmt::format("{} {} in {} time {} own {} cpu {} idle {} x{} {} {}\n", i,
                    region.frame, region.parent, Drawn(region.time_ns),
                    i == 0 ? "" : Drawn(region.own_ns), Drawn(region.cpu_ns),
                    Drawn(region.idle_ns), region.instances.value_or(0),
                    region.launches.value_or(0),
                    i == 0 ? 0 : region.own_launches.value_or(0));
    for (const auto& [name, kernel] : region.kernels)
      text += fmt::format("  {} {} {}\n", name, kernel.launches,
                          Drawn(kernel.time_ns));
    for (const auto& [name, counter] : region.counters)
      text += fmt::format("  {} {} {} {}\n", name, Drawn(counter.value),
                          Drawn(counter.error), counter.exact);
  }
  return text;
}

class DocumentFacts : public ::testing::TestWithParam<const char*> {};

TEST_P(DocumentFacts, AreThoseOfTheCapture) {
  const auto analysis = AnalyzeFile(Fixture(GetParam()));
  ReportOptions options;
  options.metrics_form = MetricsForm::kAll;
  const Report report = MakeReport(*analysis, options);
  const Documents documents = WriteAll(report);
  ASSERT_TRUE(IsReportDocument(documents.json));
  const auto facts = FactsOfDocument(documents.json, "run");
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  const RunFacts of_report = FactsOfRun(report, "run");
  EXPECT_GT(facts.value().regions.size(), 2);
  EXPECT_EQ(Draw(facts.value()), Draw(of_report));
  EXPECT_EQ(facts.value().units, of_report.units);
}

INSTANTIATE_TEST_SUITE_P(Captures, DocumentFacts,
                         ::testing::Values("nested_basic.ncu-rep",
                                           "multiproc.ncu-rep",
                                           "graph_graph.ncu-rep"));

std::string Refused(std::string_view text) {
  const auto facts = FactsOfDocument(text, "run");
  return facts.ok() ? "" : std::string(facts.error().message());
}

TEST(DocumentFactsText, AnotherDocumentIsNone) {
  EXPECT_FALSE(IsReportDocument(""));
  EXPECT_FALSE(IsReportDocument("[1]"));
  EXPECT_FALSE(IsReportDocument(R"({"schema": "rangefinder.diff/1"})"));
  EXPECT_TRUE(IsReportDocument(R"({ "schema": "rangefinder.report/2",)"));
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
}

}  // namespace
}  // namespace rangefinder
