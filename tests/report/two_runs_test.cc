// A trace and a capture of ncu in one report: never added, told side by side.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/sentences.h"
#include "tests/support/analyze.h"
#include "tests/support/conservation.h"
#include "tests/support/rep_builder.h"
#include "tests/support/report_test.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// 840 launches would be as well: A has four of gemm in one shape and one in
// another, B is launched once, C has no kernel.
constexpr std::string_view kTwoRuns = R"(
process pid=700 exe=/usr/bin/app
10 push A
11 launch 1
12 launch 2
13 launch 3
14 launch 4
15 launch 5
20 pop
30 push B
31 launch 6
35 pop
40 push C
45 pop
kernel gemm 100-110 of=1 grid=8 block=64
kernel gemm 110-120 of=2 grid=8 block=64
kernel gemm 120-130 of=3 grid=8 block=64
kernel gemm 130-140 of=4 grid=8 block=64
kernel gemm 140-145 of=5 grid=4 block=64
kernel relu 150-155 of=6 grid=1 block=32
)";

class TwoRuns : public testing::ReportTest {
 protected:
  void Make(std::string_view trace, std::string_view ncu,
            std::vector<std::string> metrics = {}) {
    const TempDir folder;
    const std::vector<std::filesystem::path> files = {
        testing::WriteTo(folder, "a.ncu-rep", testing::BuildRep(ncu)),
        testing::WriteTo(folder, "b.rftrace", testing::BuildTrace(trace))};
    Settings settings = ShippedSettings();
    settings.report.metrics = std::move(metrics);
    auto analysis = Analyze(files, settings.analysis);
    ASSERT_TRUE(analysis.ok()) << analysis.error().message();
    analysis.value()->runs = {{"trace", "trace", 2.5, 1, "ok"},
                              {"all", "kernel", 30, 9, "ok"}};
    Take(std::move(analysis).value(), ReportOptionsOf(settings));
    testing::ExpectConserved(analysis_->profile, analysis_->tree,
                             analysis_->rollup);
    testing::ExpectDocumentsConserved(report_);
  }
  std::string Notes() {
    std::string kinds;
    for (const Note& note : analysis_->notes.all()) kinds += note.kind + "\n";
    return kinds;
  }
};

constexpr std::string_view kAllMeasured = R"(
kernel gemm pid=900 exe=/usr/bin/app grid=8 block=64 gpu__time_duration.sum=13000 dram__bytes.sum=10 @ A
kernel gemm pid=900 grid=8 block=64 gpu__time_duration.sum=13000 dram__bytes.sum=12 @ A
kernel gemm pid=900 grid=8 block=64 gpu__time_duration.sum=13000 dram__bytes.sum=14 @ A
kernel gemm pid=900 grid=8 block=64 gpu__time_duration.sum=13000 dram__bytes.sum=16 @ A
kernel gemm pid=900 grid=4 block=64 gpu__time_duration.sum=6500 dram__bytes.sum=3 @ A
kernel relu pid=900 grid=1 block=32 gpu__time_duration.sum=6500 dram__bytes.sum=1 @ B
)";

TEST_F(TwoRuns, TimesStandSideBySideAndAreNeverAdded) {
  Make(kTwoRuns, kAllMeasured);
  const Json& a = Region("A");
  EXPECT_EQ(a["inclusive"]["gpu_time_ns"], 58500);
  EXPECT_EQ(a["kernel_count"], 5);
  EXPECT_EQ(a["traced"]["kernel_count"], 5);
  EXPECT_EQ(a["traced"]["gpu_time_ns"], 45000);
  EXPECT_EQ(a["traced"]["busy_ns"], 45000);
  EXPECT_EQ(a["kernels"][0]["calls"], 5);
  EXPECT_EQ(a["kernels"][0]["traced"]["calls"], 5);
  EXPECT_DOUBLE_EQ(a["kernels"][0]["traced"]["total_ms"].get<double>(), 0.045);
  EXPECT_EQ(a["times"]["instances"], 1);
  EXPECT_EQ(json_["capture"]["mode"], "kernel");
  EXPECT_EQ(json_["scopes"][0]["traced"]["gpu_time_ns"], 50000);
  EXPECT_EQ(json_["scopes"][0]["coverage"]["time_share"], 1);
  EXPECT_FALSE(json_["scopes"][0].contains("scaled"));
  EXPECT_THAT(
      documents_.markdown,
      ContainsRegex("\\| A \\|.*\\| 45.00 µs \\| 90.0 % \\|.*\\| 5 \\|"));
  EXPECT_THAT(documents_.markdown,
              HasSubstr("| gemm | 45.00 µs | 100.0 % | 5 |"));
  EXPECT_THAT(documents_.terminal,
              HasSubstr("50.00 µs GPU time in the baseline run, 6 measured"));
}

TEST_F(TwoRuns, ARegionOfTheTraceAloneIsThere) {
  Make(kTwoRuns, kAllMeasured);
  EXPECT_EQ(Region("C")["times"]["cpu_ns"]["total"], 5000);
  EXPECT_EQ(Region("C")["kernel_count"], 0);
}

TEST_F(TwoRuns, ProcessesAreMatchedThoughTheirIdsDiffer) {
  Make(kTwoRuns, kAllMeasured);
  ASSERT_EQ(json_["scopes"].size(), 2U);
  EXPECT_EQ(json_["scopes"][1]["scope"], "process:900/device:0");
  EXPECT_EQ(Region("A", 1)["traced"]["kernel_count"], 5);
  EXPECT_EQ(Region("C", 1)["times"]["instances"], 1);
  EXPECT_THAT(Notes(), Not(HasSubstr("traced_process_alone")));
}

TEST_F(TwoRuns, WhatTheRunsTookIsSaid) {
  Make(kTwoRuns, kAllMeasured);
  EXPECT_EQ(json_["capture"]["runs"][1]["passes"], 9);
  EXPECT_DOUBLE_EQ(json_["capture"]["replay_ratio"]["median"].get<double>(),
                   1.3);
  EXPECT_EQ(json_["capture"]["replay_ratio"]["kernels"], 3);
  EXPECT_THAT(documents_.markdown,
              HasSubstr("- Runs: trace (trace) 2.50 s, 1 pass; all (kernel) "
                        "30.00 s, 9 passes\n"));
  EXPECT_THAT(documents_.markdown,
              HasSubstr("Under replay kernels took 1.30 times as long (median "
                        "of 3, from 1.30 to 1.30)."));
  EXPECT_THAT(documents_.markdown,
              HasSubstr("| gemm | 5 | 5 | 9.00 µs | 11.70 µs | 1.30× |"));
  EXPECT_THAT(Notes(), HasSubstr("replay_times_differ"));
  EXPECT_THAT(Notes(), Not(HasSubstr("runs_differ")));
}

// Two of four of the large shape, the one of the small shape, none of relu.
constexpr std::string_view kSomeMeasured = R"(
kernel gemm pid=900 exe=/usr/bin/app grid=8 block=64 gpu__time_duration.sum=10000 dram__bytes.sum=10 @ A
kernel gemm pid=900 grid=8 block=64 gpu__time_duration.sum=10000 dram__bytes.sum=14 @ A
kernel gemm pid=900 grid=4 block=64 gpu__time_duration.sum=5000 dram__bytes.sum=3 @ A
)";

TEST_F(TwoRuns, CoverageIsOfLaunchesAndOfTime) {
  Make(kTwoRuns, kSomeMeasured, {"dram__bytes.sum"});
  const Json& coverage = json_["scopes"][0]["coverage"];
  EXPECT_EQ(coverage["launches_measured"], 3);
  EXPECT_EQ(coverage["launches"], 6);
  EXPECT_DOUBLE_EQ(coverage["time_share"].get<double>(), 0.9);
  EXPECT_EQ(Region("A")["coverage"]["launches_measured"], 3);
  EXPECT_DOUBLE_EQ(Region("A")["coverage"]["time_share"].get<double>(), 1);
  EXPECT_EQ(Region("B")["coverage"]["launches_measured"], 0);
  EXPECT_THAT(documents_.markdown,
              HasSubstr("**3 of 6 launches carry counters, 90.0 % of the run's "
                        "time.**"));
  EXPECT_THAT(documents_.terminal, HasSubstr("3 of 6 launches carry counters"));
}

TEST_F(TwoRuns, SumsAreScaledToAllLaunchesWithTheirError) {
  Make(kTwoRuns, kSomeMeasured, {"dram__bytes.sum"});
  const Json& scaled = Region("A")["scaled"]["dram__bytes.sum"];
  // 4 launches at a mean of 12, and one of 3 that was measured.
  EXPECT_EQ(scaled["value"], 51);
  // 4² (1 - 2/4) s²/2 with s² = 8.
  EXPECT_DOUBLE_EQ(scaled["error"].get<double>(), std::sqrt(32.0));
  EXPECT_EQ(scaled["single_samples"], 0);
  EXPECT_EQ(scaled["how"], "approx");
  // Not the measurement's own value.
  EXPECT_EQ(Region("A")["inclusive"]["metrics"]["dram__bytes.sum"]["value"],
            27);
  EXPECT_THAT(documents_.markdown,
              HasSubstr("| `dram__bytes.sum` | 27 B | ~ 51 B | 5.66 B |"));
}

TEST_F(TwoRuns, OneSampleHasNoSpread) {
  Make(kTwoRuns,
       "kernel gemm pid=900 grid=8 block=64 gpu__time_duration.sum=10000 "
       "dram__bytes.sum=10 @ A\n",
       {"dram__bytes.sum"});
  const Json& scaled = Region("A")["scaled"]["dram__bytes.sum"];
  EXPECT_EQ(scaled["value"], 40);
  EXPECT_TRUE(scaled["error"].is_null());
  EXPECT_EQ(scaled["single_samples"], 1);
  EXPECT_THAT(documents_.markdown, HasSubstr("measured only once"));
}

// Rows of raw.csv: grid and the last column.
std::vector<std::string> Undisturbed(const std::string& csv) {
  std::vector<std::string> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_THAT(line, EndsWith(",undisturbed_time_ns\r"));
  while (std::getline(lines, line)) {
    const std::size_t grid = line.find("x1x1,");
    rows.push_back(line.substr(grid - 1, 1) + ":" +
                   line.substr(line.rfind(',') + 1));
    rows.back().pop_back();
  }
  return rows;
}

constexpr std::string_view kThreeTimes = R"(
process pid=700 exe=/usr/bin/app
10 push A
11 launch 1
12 launch 2
13 launch 3
14 launch 4
20 pop
kernel gemm 130-160 of=3 grid=8 block=64
kernel gemm 100-110 of=1 grid=8 block=64
kernel gemm 110-130 of=2 grid=8 block=64
kernel gemm 160-165 of=4 grid=4 block=64
)";

TEST_F(TwoRuns, EachLaunchHasItsTimeOfTheUndisturbedRun) {
  Make(kThreeTimes, R"(
kernel gemm pid=900 exe=/usr/bin/app grid=8 block=64 gpu__time_duration.sum=1 @ A
kernel gemm pid=900 grid=4 block=64 gpu__time_duration.sum=2 @ A
kernel gemm pid=900 grid=8 block=64 gpu__time_duration.sum=3 @ A
kernel gemm pid=900 grid=8 block=64 gpu__time_duration.sum=4 @ A
)");
  EXPECT_THAT(Undisturbed(documents_.csv),
              ElementsAre("8:10000", "4:5000", "8:20000", "8:30000"));
}

TEST_F(TwoRuns, APlaceSaysNothingWhereLaunchesAreMissing) {
  Make(kThreeTimes, R"(
kernel gemm pid=900 exe=/usr/bin/app grid=8 block=64 gpu__time_duration.sum=1 @ A
kernel gemm pid=900 grid=4 block=64 gpu__time_duration.sum=2 @ A
kernel gemm pid=900 grid=8 block=64 gpu__time_duration.sum=3 @ A
)");
  EXPECT_THAT(Undisturbed(documents_.csv), ElementsAre("8:", "4:5000", "8:"));
}

TEST_F(TwoRuns, LaunchesOfTheMeasuredRunAloneAreADifference) {
  Make(kTwoRuns, std::string(kAllMeasured) +
                     "kernel extra pid=900 gpu__time_duration.sum=1 @ A\n");
  EXPECT_THAT(Notes(), HasSubstr("runs_differ"));
  EXPECT_THAT(documents_.markdown, HasSubstr("| extra | 0 | 1 | – | 1 ns | – "
                                             "|"));
}

TEST_F(TwoRuns, RanksAreMatchedByRankThenByOrder) {
  const TempDir folder;
  const auto process = [](int pid, int rank) {
    return testing::BuildTrace(
        "process pid=" + std::to_string(pid) + " rank=" + std::to_string(rank) +
        " exe=/usr/bin/app\n10 push A\n11 launch 1\n12 pop\nkernel k " +
        (rank == 0 ? "20-30" : "15-18") + " of=1\n");
  };
  const std::vector<std::filesystem::path> files = {
      testing::WriteTo(folder, "a.ncu-rep",
                       testing::BuildRep("kernel k pid=90 exe=/usr/bin/app "
                                         "gpu__time_duration.sum=1 @ A\n")),
      testing::WriteTo(folder, "b.ncu-rep",
                       testing::BuildRep("kernel k pid=91 exe=/usr/bin/app "
                                         "gpu__time_duration.sum=1 @ A\n")),
      testing::WriteTo(folder, "c.rftrace", process(70, 1)),
      testing::WriteTo(folder, "d.rftrace", process(71, 0))};
  const std::map<std::string, int> ranks = {{files[0].string(), 0},
                                            {files[1].string(), 1}};
  auto analysis = Analyze(files, ShippedSettings().analysis, ranks);
  ASSERT_TRUE(analysis.ok());
  Take(std::move(analysis).value());
  ASSERT_EQ(json_["scopes"].size(), 3U);
  EXPECT_EQ(json_["scopes"][1]["process"], 90);
  EXPECT_EQ(Region("A", 1)["traced"]["gpu_time_ns"], 10000);
  EXPECT_EQ(Region("A", 2)["traced"]["gpu_time_ns"], 3000);
}

}  // namespace
}  // namespace rangefinder
