// The sections of a region that was measured as a whole are those of the range:
// it has no kernels that they could be of.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/analysis.h"
#include "report/documents.h"
#include "tests/support/composed.h"
#include "tests/support/profile_builder.h"
#include "writers/markdown/markdown_writer.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

TEST(WholeSections, AreThoseOfTheRange) {
  Profile profile = testing::BuildProfile("range dram__bytes.sum=64 ns=9 @ A");
  const auto metric = profile.FindMetric("dram__bytes.sum");
  ASSERT_TRUE(metric.has_value());
  profile.sections.push_back(
      {.identifier = profile.strings.Intern("Memory"),
       .display_name = profile.strings.Intern("Memory Workload"),
       .header = {
           {.metric = *metric, .label = profile.strings.Intern("Bytes")}}});
  profile.measurements[0].sections = {0};
  const testing::Composed composed(std::move(profile));
  const Report report = composed.MakeReport();

  std::ostringstream json;
  WriteJson(report, json);
  const auto region =
      nlohmann::json::parse(json.str())["scopes"][0]["regions"][0];
  ASSERT_EQ(region["sections"]["Memory"].size(), 1U);
  EXPECT_EQ(region["sections"]["Memory"][0]["label"], "Bytes");
  EXPECT_EQ(region["sections"]["Memory"][0]["value"], 64);
  EXPECT_EQ(region["metrics"]["dram__bytes.sum"], 64);
  EXPECT_TRUE(region["kernel_count"].is_null());

  std::ostringstream markdown;
  WriteMarkdown(RunDocument(report), markdown);
  EXPECT_THAT(markdown.str(), ::testing::HasSubstr("| Memory Workload | |"));
  std::ostringstream text;
  WriteSectionsReport(report, text);
  EXPECT_THAT(text.str(), ::testing::HasSubstr("Bytes"));
}

}  // namespace
}  // namespace rangefinder
