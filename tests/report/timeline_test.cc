// When everything ran, as the page has it: from the bytes of a trace on.

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"
#include "tests/support/trace_builder.h"
#include "writers/json/timeline_json.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// "thread 1: step 0-10000, load 2000-3000x2" a line of each lane.
std::string DrawnTimeline(const Json& report, const Json& timeline) {
  std::map<std::uint64_t, std::string> names;
  for (const Json& region : report["scopes"][0]["regions"])
    names[region["id"]] = region["name"];
  std::map<std::size_t, std::string> lines;
  const auto add = [&](const Json& of) {
    std::uint64_t at = 0;
    std::map<std::size_t, std::uint64_t> counts;
    if (of.contains("joined")) {
      for (std::size_t i = 0; i < of["joined"].size(); ++i)
        counts[of["joined"][i]] = of["count"][i];
    }
    for (std::size_t i = 0; i < of["start"].size(); ++i) {
      at += of["start"][i].get<std::uint64_t>();
      const std::size_t row = of["row"][i];
      std::string& line = lines[of["lane"][row]];
      line += fmt::format(" {}", names[of["region"][row]]);
      if (of.contains("name")) {
        line += fmt::format(
            "/{}", timeline["names"][of["name"][row].get<std::size_t>()]
                       .get<std::string>());
      }
      line +=
          fmt::format(" {}-{}", at, at + of["length"][i].get<std::uint64_t>());
      if (counts.contains(i)) line += fmt::format("x{}", counts[i]);
    }
  };
  add(timeline["ranges"]);
  add(timeline["kernels"]);
  std::string drawn;
  for (const auto& [lane, line] : lines) {
    const Json& of = timeline["lanes"][lane];
    drawn += of.contains("thread")
                 ? fmt::format("{}:{}:", of["process"].get<int>(),
                               of["thread"].get<int>())
                 : fmt::format("{}:cuda{}:{}:", of["process"].get<int>(),
                               of["device"].get<int>(),
                               of.contains("copies")
                                   ? "copies"
                                   : std::to_string(of["stream"].get<int>()));
    drawn += line + "\n";
  }
  return drawn;
}

class TimelineOf : public ::testing::Test {
 protected:
  void Make(std::string_view trace,
            const Settings& settings = ShippedSettings()) {
    analysis_ = testing::AnalyzeFile(
        testing::WriteTo(folder_, "a.rftrace", testing::BuildTrace(trace)),
        settings);
    report_ = MakeReport(*analysis_, ReportOptionsOf(settings));
    documents_ = testing::WriteAll(report_);
  }
  std::string DrawnReport() {
    return DrawnTimeline(Json::parse(documents_.json),
                         Json::parse(TimelineText(report_)));
  }
  const TempDir folder_{};
  std::unique_ptr<Analysis> analysis_{};
  Report report_{};
  testing::Documents documents_{};
};

TEST_F(TimelineOf, AllInstancesByThreadAndAllKernelsByStream) {
  Make(R"(
process pid=7 exe=/bin/app
thread 11
10 push step
11 push load
12 pop
12 launch 1
14 launch 2
20 pop
50 push step
52 launch 3
60 pop
thread 12
15 push load
18 pop
kernel gemm 20-40 of=1
kernel relu 30-50 of=2 stream=8
kernel gemm 100-110 of=3 device=1
)");
  EXPECT_EQ(DrawnReport(),
            "7:11: step 0-10000 load 1000-2000 step 40000-50000\n"
            "7:12: load 5000-8000\n"
            "7:cuda0:7: step/gemm 10000-30000\n"
            "7:cuda0:8: step/relu 20000-40000\n"
            "7:cuda1:7: step/gemm 90000-100000\n");
}

TEST_F(TimelineOf, CopiesAndSetsHaveALaneOfTheirDevice) {
  Make(R"(
process pid=7 exe=/bin/app
10 push load
12 launch 1
13 launch 2
20 pop
25 launch 3
copy 20-30 of=1 kind=1 bytes=4096
copy 30-40 of=2 kind=2 stream=8 bytes=4096
set 50-55 of=3 bytes=64
)");
  EXPECT_EQ(DrawnReport(),
            "7:1: load 0-10000\n"
            "7:cuda0:copies: load/copy, host to device 10000-20000"
            " load/copy, device to host 20000-30000"
            " /memory set 40000-45000\n");
}

TEST_F(TimelineOf, CopiesAreThoseOfTheSelection) {
  constexpr std::string_view kTrace = R"(
process pid=7 exe=/bin/app
10 push load
12 launch 1
20 pop
22 push step
23 launch 2
24 pop
25 launch 3
copy 20-30 of=1 kind=1 bytes=4096
copy 30-40 of=2 kind=2 bytes=4096
set 50-55 of=3 bytes=64
)";
  Settings settings = ShippedSettings();
  settings.analysis.selection.exclude = {"load"};
  Make(kTrace, settings);
  EXPECT_EQ(DrawnReport(),
            "7:1: step 0-2000\n"
            "7:cuda0:copies: step/copy, device to host 8000-18000"
            " /memory set 28000-33000\n");
  settings.analysis.selection.exclude.clear();
  settings.analysis.selection.include = {"step"};
  Make(kTrace, settings);
  EXPECT_EQ(DrawnReport(),
            "7:1: step 0-2000\n"
            "7:cuda0:copies: step/copy, device to host 8000-18000\n");
}

TEST_F(TimelineOf, ThePageHasItPackedAndReportJsonHasNot) {
  Make("process pid=7\n10 push step\n20 pop\n");
  EXPECT_THAT(documents_.html,
              HasSubstr("<script id=\"timeline\" type=\"application/json\">"
                        "{\"encoding\":\"gzip+base64\",\"bytes\":"));
  EXPECT_THAT(documents_.html, Not(HasSubstr("/*TIMELINE*/")));
  EXPECT_THAT(documents_.json, Not(HasSubstr("timeline")));
}

TEST_F(TimelineOf, WhatIsNotKnownIsNull) {
  analysis_ = testing::AnalyzeFile(testing::Fixture("nested_basic.ncu-rep"));
  report_ = testing::ShippedReport(*analysis_);
  EXPECT_EQ(TimelineJson(report_), "null");
  EXPECT_THAT(testing::WriteAll(report_).html,
              HasSubstr("type=\"application/json\">null</script>"));
}

TEST_F(TimelineOf, OfVeryManyShortOnesAreJoinedAndNoneIsLost) {
  std::string trace = "process pid=7\n";
  for (int i = 0; i < 120'000; ++i)
    trace += fmt::format("{0} push step\n{0}.5 pop\n", 10 + i);
  trace += "200000 push end\n900000 pop\n";
  Make(trace);
  const Json timeline = Json::parse(TimelineText(report_));
  const Json& ranges = timeline["ranges"];
  EXPECT_LE(ranges["start"].size(), 100'000);
  std::uint64_t count = ranges["start"].size() - ranges["joined"].size();
  for (const Json& joined : ranges["count"]) count += joined.get<int>();
  EXPECT_EQ(count, 120'001);
  EXPECT_THAT(DrawnReport(), HasSubstr("end 199990000-899990000\n"));
}

}  // namespace
}  // namespace rangefinder
