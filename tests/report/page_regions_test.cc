// A page opens whatever was captured: of very many regions it shows those with
// the most time, and says so. report.json has all.

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"
#include "tests/support/trace_builder.h"
#include "writers/json/timeline_json.h"
#include "writers/report_writers.h"

namespace rangefinder {
namespace {

using Json = nlohmann::json;

class PageOf : public ::testing::Test {
 protected:
  // step holds long, short and again; short holds inner; all have a kernel.
  void Make(std::uint64_t most_regions) {
    analysis_ = testing::AnalyzeFile(
        testing::WriteTo(folder_, "a.rftrace", testing::BuildTrace(R"(
process pid=7 exe=/bin/app
10 push step
11 push long
12 launch 1
13 pop
14 push short
15 launch 2
16 push inner
17 launch 3
18 pop
19 pop
20 push again
21 launch 4
22 pop
30 pop
kernel gemm 20-90 of=1
kernel relu 100-101 of=2
kernel copy 102-103 of=3
kernel gemm 110-150 of=4
)")));
    ReportOptions options = ReportOptionsOf(ShippedSettings());
    options.max_page_regions = most_regions;
    report_ = MakeReport(*analysis_, std::move(options));
    std::ostringstream page, json;
    RunJson(report_).WritePage(page);
    WriteJson(report_, json);
    page_ = Json::parse(page.str());
    json_ = Json::parse(json.str());
  }

  static std::vector<std::string> RegionsOf(const Json& document) {
    std::vector<std::string> names;
    for (const Json& region : document["scopes"][0]["regions"])
      names.push_back(region["name"]);
    return names;
  }

  // The regions that the kernels of the timeline lie in, by start.
  std::vector<std::string> RegionsOfKernels() {
    const Json timeline = Json::parse(TimelineText(report_));
    std::vector<std::string> names;
    for (const Json& row : timeline["kernels"]["row"]) {
      const auto id = timeline["kernels"]["region"][row.get<std::size_t>()]
                          .get<std::uint32_t>();
      names.push_back(RegionName(report_, static_cast<RegionId>(id)));
    }
    return names;
  }

  using Names = std::vector<std::string>;
  const TempDir folder_{};
  std::unique_ptr<Analysis> analysis_{};
  Report report_{};
  Json page_{}, json_{};
};

TEST_F(PageOf, VeryManyRegionsShowsThoseWithTheMostTimeAndSaysSo) {
  Make(3);
  EXPECT_EQ(RegionsOf(page_), (Names{"step", "long", "again"}));
  EXPECT_EQ(page_["scopes"][0]["totals"], json_["scopes"][0]["totals"]);
  EXPECT_EQ(page_["notes"][0]["kind"], "page_regions_left_out");
  EXPECT_EQ(page_["notes"][0]["count"], 2);
  EXPECT_EQ(page_["notes"][0]["text"],
            "this page shows the 3 regions with the most GPU time; "
            "report.json has all of them, and the others are part of their "
            "outer regions' values here, too");
  EXPECT_EQ(RegionsOfKernels(), (Names{"long", "step", "step", "again"}));

  EXPECT_EQ(RegionsOf(json_),
            (Names{"step", "long", "again", "short", "inner"}));
  EXPECT_EQ(json_["notes"].dump().find("page_regions"), std::string::npos);
}

TEST_F(PageOf, AsManyAsItShowsHasAll) {
  Make(5);
  EXPECT_EQ(RegionsOf(page_), RegionsOf(json_));
  EXPECT_EQ(page_["notes"], json_["notes"]);
  EXPECT_EQ(RegionsOfKernels(), (Names{"long", "short", "inner", "again"}));
}

}  // namespace
}  // namespace rangefinder
