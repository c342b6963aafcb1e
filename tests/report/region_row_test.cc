// A row of the table of regions: each number from the best available source,
// and absent where nothing was measured.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/region_rows.h"
#include "tests/support/analyze.h"
#include "tests/support/rep_builder.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

// One line a region, as it is read: "A kernels 3/2 of 10, 100 %".
template <typename Number>
std::string Text(const std::optional<Number>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

std::string Draw(const Report& report, const ScopeRollup& scope, RegionId id) {
  const RegionRow row = report.rows->Of(scope, id);
  return fmt::format(
      "{}: {} time {} own {} share {} launches {} own {} measured {} "
      "counters {} wholes {}{}",
      id == RegionTree::kRoot ? "all" : RegionTitle(report, id),
      SourceName(row.source), Text(row.time_ns), Text(row.own_ns),
      Text(row.share), Text(row.launches), Text(row.own_launches),
      Text(row.measured),
      row.counters == nullptr ? "no"
      : row.whole != nullptr  ? "range"
                              : "kernels",
      row.wholes, row.reason.empty() ? "" : " (" + row.reason + ")");
}

std::string DrawAll(const Analysis& analysis,
                    const Settings& settings = ShippedSettings()) {
  const Report report = MakeReport(analysis, ReportOptionsOf(settings));
  const ScopeRollup& scope = report.rollup->scopes.front();
  std::string text = HeadlineOf(report, scope) + "\n";
  for (const RegionId id : ReadingOrder(report, scope))
    text += Draw(report, scope, id) + "\n";
  return text + Draw(report, scope, RegionTree::kRoot) + "\n";
}

TEST(RegionRow, OfKernelsMeasuredOneByOne) {
  const auto analysis = testing::AnalyzeText(R"(
kernel gemm gpu__time_duration.sum=600 @ A
kernel gemm gpu__time_duration.sum=200 @ A/A1
kernel relu gpu__time_duration.sum=200 @ B
)");
  EXPECT_EQ(DrawAll(*analysis),
            "3 kernels, 1.00 µs GPU time\n"
            "A: kernels time 800 own 600 share 0.8 launches 2 own 1 measured 2 "
            "counters kernels wholes 0\n"
            "A › A1: kernels time 200 own 200 share 0.2 launches 1 own 1 "
            "measured 1 counters kernels wholes 0\n"
            "B: kernels time 200 own 200 share 0.2 launches 1 own 1 measured 1 "
            "counters kernels wholes 0\n"
            "all: kernels time 1000 own 0 share 1 launches 3 own 0 measured 3 "
            "counters kernels wholes 0\n");
}

TEST(RegionRow, WithoutADurationThereIsNoTime) {
  const auto analysis =
      testing::AnalyzeText("kernel gemm dram__bytes.sum=4 @ A\n");
  EXPECT_EQ(DrawAll(*analysis),
            "1 kernel\n"
            "A:  time - own - share - launches 1 own 1 measured 1 counters "
            "kernels wholes 0 (no duration was collected "
            "(gpu__time_duration.sum))\n"
            "all:  time - own - share - launches 1 own 0 measured 1 counters "
            "kernels wholes 0 (no duration was collected "
            "(gpu__time_duration.sum))\n");
}

TEST(RegionRow, OfRangesMeasuredAsAWhole) {
  const auto analysis = testing::AnalyzeText(R"(
range gpu__time_duration.sum=700 @ A/A1
range gpu__time_duration.sum=500 @ B
range gpu__time_duration.sum=550 @ B
)");
  EXPECT_EQ(DrawAll(*analysis),
            "3 ranges measured as a whole\n"
            "B: range time 1050 own - share - launches - own - measured - "
            "counters range wholes 2\n"
            "A:  time - own - share - launches - own - measured - counters no "
            "wholes 0 (not measured itself, but 1 range inside it as a "
            "whole)\n"
            "A › A1: range time 700 own - share - launches - own - measured - "
            "counters range wholes 1\n"
            "all:  time - own - share - launches - own - measured - counters "
            "no wholes 0 (not measured itself, but 3 ranges inside it "
            "as a whole)\n");
}

TEST(RegionRow, OfWhatTheSelectionOfKernelsLeavesNothing) {
  Settings settings = ShippedSettings();
  settings.analysis.selection.kernels_include = {"relu"};
  const auto analysis = testing::AnalyzeText(R"(
kernel gemm gpu__time_duration.sum=600 @ A
kernel gemm gpu__time_duration.sum=200 @ A/A1
kernel gemm gpu__time_duration.sum=200 @ A/A1
kernel relu gpu__time_duration.sum=200 @ B
)",
                                             settings);
  EXPECT_EQ(DrawAll(*analysis, settings),
            "1 kernel, 200 ns GPU time, 3 kernels left out by "
            "regions.kernels\n"
            "B: kernels time 200 own 200 share 1 launches 1 own 1 measured 1 "
            "counters kernels wholes 0\n"
            "A:  time - own - share - launches 0 own 0 measured - counters no "
            "wholes 0 (none of its 3 kernels is selected)\n"
            "A › A1:  time - own - share - launches 0 own 0 measured - "
            "counters no wholes 0 (none of its 2 kernels is selected)\n"
            "all: kernels time 200 own 0 share 1 launches 1 own 0 measured 1 "
            "counters kernels wholes 0\n");
}

constexpr std::string_view kTrace = R"(
process pid=700 exe=/usr/bin/app
10 push A
11 launch 1
12 push A1
13 launch 2
14 pop
20 pop
30 push B
31 launch 3
35 pop
40 push C
45 pop
kernel gemm 100-110 of=1 grid=8 block=64
kernel relu 110-140 of=2 grid=8 block=64
kernel relu 150-160 of=3 grid=1 block=32
)";

std::unique_ptr<Analysis> TwoRuns(std::string_view ncu) {
  const TempDir folder;
  const std::vector<std::filesystem::path> files = {
      testing::WriteTo(folder, "a.ncu-rep", testing::BuildRep(ncu)),
      testing::WriteTo(folder, "b.rftrace", testing::BuildTrace(kTrace))};
  auto analysis = Analyze(files, ShippedSettings().analysis);
  EXPECT_TRUE(analysis.ok());
  return std::move(analysis).value();
}

TEST(RegionRow, TheUndisturbedRunCarriesTheTree) {
  const auto analysis = TwoRuns(
      "kernel gemm pid=900 exe=/usr/bin/app grid=8 block=64 "
      "gpu__time_duration.sum=20000 @ A\n");
  EXPECT_EQ(DrawAll(*analysis),
            "3 kernels, 50.00 µs GPU time in the baseline run, 1 measured\n"
            "A: undisturbed time 40000 own 10000 share 0.8 launches 2 own 1 "
            "measured 1 counters kernels wholes 0\n"
            "A › A1: undisturbed time 30000 own 30000 share 0.6 launches 1 own "
            "1 measured - counters no wholes 0 (not measured: its only "
            "launch has no counters)\n"
            "B: undisturbed time 10000 own 10000 share 0.2 launches 1 own 1 "
            "measured - counters no wholes 0 (not measured: its only "
            "launch has no counters)\n"
            "C:  time - own - share - launches 0 own 0 measured - counters no "
            "wholes 0 (no kernel was launched in it)\n"
            "all: undisturbed time 50000 own 0 share 1 launches 3 own 0 "
            "measured 1 counters kernels wholes 0\n");
}

TEST(RegionRow, WhatTheTraceDidNotSeeIsAsMeasured) {
  const auto analysis = TwoRuns(
      "kernel gemm pid=900 exe=/usr/bin/app grid=8 block=64 "
      "gpu__time_duration.sum=20000 @ D\n");
  EXPECT_THAT(DrawAll(*analysis),
              ::testing::HasSubstr("D: kernels time 20000 own 20000 share 1 "
                                   "launches 1 own 1 measured 1 counters "
                                   "kernels wholes 0\n"));
}

TEST(RegionRow, OfARangeBesideATrace) {
  const auto analysis = TwoRuns(
      "range pid=900 exe=/usr/bin/app gpu__time_duration.sum=20000 @ A\n");
  EXPECT_EQ(
      DrawAll(*analysis),
      "3 kernels, 50.00 µs GPU time in the baseline run, 1 range measured as a "
      "whole\n"
      "A: undisturbed time 40000 own 10000 share 0.8 launches 2 own 1 "
      "measured - counters range wholes 1\n"
      "A › A1: undisturbed time 30000 own 30000 share 0.6 launches 1 own "
      "1 measured - counters no wholes 0 (not measured: its only "
      "launch has no counters)\n"
      "B: undisturbed time 10000 own 10000 share 0.2 launches 1 own 1 "
      "measured - counters no wholes 0 (not measured: its only "
      "launch has no counters)\n"
      "C:  time - own - share - launches 0 own 0 measured - counters no "
      "wholes 0 (no kernel was launched in it)\n"
      "all: undisturbed time 50000 own 0 share 1 launches 3 own 0 "
      "measured - counters no wholes 0 (not measured itself, but 1 range "
      "inside it as a whole)\n");
}

}  // namespace
}  // namespace rangefinder
