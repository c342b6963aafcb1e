// report.json with most metrics packed: its size, and that it has everything
// that it has with all metrics in place.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/command_settings.h"
#include "tests/support/analyze.h"
#include "tests/support/composed.h"
#include "tests/support/many_regions.h"
#include "tests/support/profile_builder.h"
#include "tests/support/sampled_loop.h"
#include "tests/support/trace_builder.h"
#include "tests/support/unpack.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

using Json = nlohmann::json;
using testing::AnalyzeFile;
using testing::Fixture;

std::string TextOf(const Report& report,
                   void (*write)(const Report&, std::ostream&)) {
  std::ostringstream out;
  write(report, out);
  return std::move(out).str();
}

std::string JsonOf(Report report, MetricsInPlace in_place) {
  report.options.in_place = in_place;
  return TextOf(report, WriteJson);
}

// Every member of `all` is in `packed` with the same value. A cell of a
// kernel's row that is packed may say more than one in place.
void ExpectHolds(const Json& packed, const Json& all, const std::string& at) {
  if (all.is_object()) {
    for (const auto& [key, value] : all.items()) {
      const std::string place = at + "/" + key;
      if (key == "sections" || place == "/metrics") continue;
      ASSERT_TRUE(packed.contains(key)) << place;
      ExpectHolds(packed[key], value, place);
      if (::testing::Test::HasFatalFailure()) return;
    }
  } else if (all.is_array()) {
    ASSERT_EQ(packed.size(), all.size()) << at;
    for (std::size_t i = 0; i < all.size(); ++i) {
      ExpectHolds(packed[i], all[i], at + "/" + std::to_string(i));
      if (::testing::Test::HasFatalFailure()) return;
    }
  } else {
    ASSERT_EQ(packed, all) << at;
  }
}

// The rows of sections of all metrics, put into each region.
void FillInRows(Json& document) {
  for (Json& scope : document["scopes"]) {
    for (Json& region : scope["regions"]) {
      const bool whole = region["inclusive"]["kernel_count"] == 0 &&
                         !region["measured"].empty();
      const Json& cells = whole ? region["measured"][0]["metrics"]
                                : region["inclusive"]["metrics"];
      for (auto& [name, rows] : region["sections"].items()) {
        rows = Json::array();
        for (const Json& row : document["sections"][name]["rows"]) {
          Json cell = cells[row["metric"].get<std::string>()];
          if (cell["measurements"] == 0) continue;
          cell.update(row);
          rows.push_back(cell);
        }
      }
    }
  }
}

void ExpectNothingLost(const Report& report) {
  const Json all = Json::parse(JsonOf(report, MetricsInPlace::kAll));
  Json packed = Json::parse(JsonOf(report, MetricsInPlace::kRequested));
  testing::FillIn(packed);
  ExpectHolds(packed, all, "");
  FillInRows(packed);
  for (std::size_t s = 0; s < all["scopes"].size(); ++s) {
    const Json& regions = all["scopes"][s]["regions"];
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const Json& filled = packed["scopes"][s]["regions"][r];
      EXPECT_EQ(filled["sections"], regions[r]["sections"]);
    }
  }
}

class PackedMetrics : public ::testing::TestWithParam<const char*> {};

TEST_P(PackedMetrics, LoseNothing) {
  const auto analysis = AnalyzeFile(Fixture(GetParam()));
  ExpectNothingLost(testing::ShippedReport(*analysis));
}

// A small report is whole without unpacking anything, unless somebody asked for
// some metrics by name. Folders agree with the run; the page packs in any case.
TEST_P(PackedMetrics, AreThoseThatNobodyAskedForByName) {
  const auto analysis = AnalyzeFile(Fixture(GetParam()));
  const Report report = testing::ShippedReport(*analysis);
  const std::string text = TextOf(report, WriteJson);
  EXPECT_LT(text.size(), 12'000'000U);
  const Json run = Json::parse(text);
  EXPECT_EQ(run.contains("columns"), !report.capture.metrics.empty());
  std::ostringstream folder;
  RunJson(report).WriteRegion(RegionId{1}, folder);
  EXPECT_EQ(Json::parse(folder.str())["metrics"], run["metrics"]);
  const Json requested =
      Json::parse(JsonOf(report, MetricsInPlace::kRequested));
  std::ostringstream text_of_page;
  RunJson(report).WritePage(text_of_page);
  const Json page = Json::parse(text_of_page.str());
  EXPECT_EQ(page["metrics"], requested["metrics"]);
  EXPECT_FALSE(page.contains("columns"));
  // The page has the packed metrics of report.json beside its document.
  Report packed = report;
  packed.options.in_place = MetricsInPlace::kRequested;
  EXPECT_EQ(Json::parse(RunJson(packed).WritePage(text_of_page)),
            requested.value("columns", Json()));
}

INSTANTIATE_TEST_SUITE_P(
    Captures, PackedMetrics,
    ::testing::Values("nested_basic.ncu-rep", "multiproc.ncu-rep",
                      "range_ABprefill.ncu-rep", "apprange_nested.ncu-rep",
                      "graph_node.ncu-rep", "graph_graph.ncu-rep",
                      "nested_full_A.ncu-repz"));

TEST(PackedMetricsOfManyRegions, WeighAboutThreeKilobytesARegion) {
  const testing::Composed made(testing::ManyRegions::Make(2001, 35));
  const Report report = made.MakeReport();
  ASSERT_EQ(report.tree->regions().size(), 2023U);
  const std::string text = TextOf(report, WriteJson);
  EXPECT_LT(text.size(), 2022U * 3210);
  EXPECT_LT(TextOf(report, WriteHtml).size(), 3'000'000U);

  // Requested metrics stand in place.
  const Json document = Json::parse(text);
  EXPECT_EQ(document["schema"], "rangefinder.report/2");
  ASSERT_EQ(document["scopes"].size(), 2U);
  for (const Json& scope : document["scopes"]) {
    ASSERT_EQ(scope["regions"].size(), 2022U);
    for (const Json& region : scope["regions"]) {
      const std::string metric = testing::kManyRegionsMetric;
      EXPECT_EQ(region["inclusive"]["metrics"][metric]["unit"], "%");
      EXPECT_EQ(region["inclusive"]["metrics"][metric]["value"],
                region["metrics"][metric]);
      for (const Json& kernel : region["kernels"])
        EXPECT_TRUE(kernel["metrics"][metric]["value"].is_number());
    }
  }
}

// Of one process, a large report says all but amounts once. Read back, the
// regions are still of that process and device.
TEST(ReportOfManyRegions, HasItsOnlyProcessAsAScope) {
  const auto json_of = [](std::size_t leaves) {
    const testing::Composed made(testing::ManyRegions::Make(leaves, 0));
    return TextOf(made.MakeReport(), WriteJson);
  };
  const std::string small = json_of(100);
  EXPECT_FALSE(Json::parse(small)["scopes"].at(1).contains("same_as"));
  const std::string large = json_of(10000);
  EXPECT_LT(large.size(), 10021U * 2400);
  const Json document = Json::parse(large);
  ASSERT_EQ(document["scopes"].size(), 2U);
  const Json &all = document["scopes"][0], &own = document["scopes"][1];
  EXPECT_EQ(all["scope"], "aggregate");
  EXPECT_EQ(own["scope"], "process:4711/device:0");
  EXPECT_EQ(own["same_as"], "aggregate");
  EXPECT_EQ(own["totals"], all["totals"]);
  ASSERT_EQ(own["regions"].size(), 10021U);
  for (std::size_t i = 0; i < 10021; ++i) {
    const Json &one = own["regions"][i], &same = all["regions"][i];
    EXPECT_EQ(one["process"], 4711);
    EXPECT_FALSE(one.contains("kernels"));
    for (const char* const key :
         {"id", "path", "inclusive", "exclusive", "total_ms", "kernel_count"})
      EXPECT_EQ(one[key], same[key]);
  }

  const TempDir folder;
  for (const std::string& text : {small, large}) {
    const auto read = AnalyzeFile(testing::WriteTo(folder, "r.json", text));
    const Scope& scope = read->rollup.scopes.at(1).scope;
    EXPECT_EQ(ScopeName(MakeReport(*read, {}), scope), "process:4711/device:0");
  }
}

TEST(PackedMetricsOfManyRegions, LoseNothing) {
  const testing::Composed made(testing::ManyRegions::Make(60, 5));
  ExpectNothingLost(made.MakeReport());
}

TEST(PackedMetricsOfEstimates, LoseNothing) {
  const TempDir folder;
  const auto analysis = AnalyzeFile(testing::WriteTo(
      folder, "a.rftrace", testing::BuildTrace(testing::SampledLoop())));
  const Report report = testing::ShippedReport(*analysis);
  ExpectNothingLost(report);
  const Json block = testing::UnpackColumns(
      Json::parse(JsonOf(report, MetricsInPlace::kRequested)));
  EXPECT_GT(block["metrics"]["warp_instructions"]["interval"].size(), 0U);
}

// The second scope refers to the first, and a region's only kernel to it.
TEST(PackedMetricsOfManyRegions, AreToldOnce) {
  const testing::Composed made(
      testing::BuildProfile("kernel k ns=7 x__x.sum=3 @ A\n"));
  const Json block = testing::UnpackColumns(
      Json::parse(JsonOf(made.MakeReport(), MetricsInPlace::kRequested)));
  EXPECT_EQ(block["lists"], 1);
  EXPECT_EQ(block["scopes"][1]["same_as"], 0);
  EXPECT_EQ(block["scopes"][0]["kernels"], Json::parse("[[0]]"));
  EXPECT_EQ(block["metrics"]["x__x.sum"]["value"], 3);
}

TEST(PackedMetricsOfManyRegions, AreTheSameBytesEveryTime) {
  const testing::Composed made(testing::ManyRegions::Make(60, 5));
  EXPECT_EQ(JsonOf(made.MakeReport(), MetricsInPlace::kRequested),
            JsonOf(made.MakeReport(), MetricsInPlace::kRequested));
}

TEST(PackedMetricsOfManyRegions, AreAllInPlaceForWhoAsksForIt) {
  const testing::Composed made(testing::ManyRegions::Make(500, 5));
  const Report report = made.MakeReport();
  EXPECT_TRUE(Json::parse(TextOf(report, WriteJson)).contains("columns"));
  const Json all = Json::parse(JsonOf(report, MetricsInPlace::kAll));
  EXPECT_FALSE(all.contains("columns"));
  EXPECT_TRUE(all["scopes"][0]["regions"][0]["inclusive"]["metrics"].contains(
      "launch__grid_size"));
}

// By the settings, else by the recorded command, else the metrics that every
// report shows.
TEST(PackedMetricsOfManyRegions, AreThoseThatNobodyAskedFor) {
  constexpr std::string_view kThroughput =
      "dram__throughput.avg.pct_of_peak_sustained_elapsed";
  testing::Composed made(
      testing::BuildProfile("kernel k ns=7 x__a.sum=1 x__b.sum=2 x__c.sum=3 "
                            "dram__throughput.avg.pct_of_peak_sustained_"
                            "elapsed=4 @ A"));
  const auto in_place = [&](ReportOptions options) {
    options.in_place = MetricsInPlace::kRequested;
    const Json document =
        Json::parse(TextOf(made.MakeReport(std::move(options)), WriteJson));
    std::string names;
    for (const auto& [name, cell] :
         document["scopes"][0]["regions"][0]["inclusive"]["metrics"].items())
      names += name + " ";
    return names;
  };
  EXPECT_EQ(in_place({}), std::string(kThroughput) + " ");
  EXPECT_EQ(in_place({.requested_metrics = {"x__b.sum"}}), "x__b.sum ");
  EXPECT_EQ(in_place({.table_metrics = {"x__a.sum"},
                      .requested_metrics = {"x__b.sum"}}),
            "x__a.sum x__b.sum ");
  made.profile.artifacts.push_back(
      {.command_line = "ncu --metrics x__c.sum app"});
  EXPECT_EQ(in_place({}), "x__c.sum ");
  EXPECT_EQ(in_place({.requested_metrics = {"not.collected"}}), "x__c.sum ");
}

}  // namespace
}  // namespace rangefinder
