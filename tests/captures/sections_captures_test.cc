// Sections, findings, verdicts, rooflines and explanations of a real capture.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/findings.h"
#include "rollup/explain.h"
#include "rollup/roofline.h"
#include "rollup/sections.h"
#include "tests/captures/capture.h"
#include "tests/support/shipped_settings.h"

namespace rangefinder {
namespace {

using testing::Capture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ReadCapture;
using testing::Roll;

class FullCapture : public ::testing::Test {
 protected:
  FullCapture()
      : capture_(ReadCapture("nested_full_A.ncu-repz")),
        options_(ShippedSettings().analysis.rollup),
        rollup_(Roll(capture_, options_)),
        a_(capture_.Find({"A"})) {}

  const Amounts& Of(RegionId region) const {
    return rollup_.scopes[0].regions[Index(region)].inclusive;
  }
  std::vector<MeasurementId> Kernels(RegionId region) const {
    return KernelsIn(capture_.profile, capture_.tree, region, Scope{});
  }

  const Capture& capture_;
  RollupOptions options_;
  Rollup rollup_;
  RegionId a_;
};

// Rows, order, units and scaling are those of ncu's details page.
TEST_F(FullCapture, SectionsLookAsTheyDoInNcu) {
  const std::vector<std::string> wanted = {"SpeedOfLight", "Occupancy"};
  const SectionCatalog catalog(capture_.profile, capture_.tree, rollup_,
                               wanted);
  const std::vector<SectionTable> tables = catalog.TablesOf(a_, Of(a_));
  ASSERT_EQ(tables.size(), 2);
  EXPECT_EQ(tables[0].identifier, "SpeedOfLight");
  EXPECT_EQ(SectionsText(capture_.profile, std::span(tables).first(1)),
            R"(    Section: GPU Speed Of Light Throughput
    ----------------------- ----------- ------------
    Metric Name             Metric Unit Metric Value
    ----------------------- ----------- ------------
    DRAM Frequency                  Ghz         3.19
    SM Frequency                    Ghz         1.97
    Elapsed Cycles                cycle   <= 213,138
    Memory Throughput                 %        26.58
    DRAM Throughput                   %        26.58
    Duration                         us          108
    L1/TEX Cache Throughput           %     <= 17.57
    L2 Cache Throughput               %     <= 49.34
    SM Active Cycles              cycle   189,488.23
    Compute (SM) Throughput           %        44.34
    ----------------------- ----------- ------------
)");
}

// Some rows have other metrics on other devices: on an H200 those of the LRC,
// and there the sampling interval is in time, not in cycles.
TEST_F(FullCapture, RowsAreThoseOfTheDevice) {
  const std::vector<std::string> wanted = {"MemoryWorkloadAnalysis",
                                           "PmSampling"};
  const SectionCatalog catalog(capture_.profile, capture_.tree, rollup_,
                               wanted);
  std::vector<std::string> rows;
  for (const SectionTable& table : catalog.TablesOf(a_, Of(a_))) {
    for (const SectionTableRow& row : table.rows) {
      if (row.label.starts_with("L2 Comp") ||
          row.label.starts_with("Maximum S"))
        rows.push_back(row.label + ": " + row.metric);
    }
  }
  EXPECT_THAT(
      rows,
      ::testing::UnorderedElementsAre(
          "L2 Compression Ratio: "
          "lrc__average_ilc_output_sector_compression_achieved_rate.pct",
          "L2 Compression Success Rate: "
          "lrc__average_ilc_input_sector_success_rate.pct",
          "L2 Compression Input Sectors: lrc__ilc_input_sectors.sum",
          "Maximum Sampling Interval: profiler__pmsampler_interval_time"));
}

// SC-002: exactly the configured sections.
TEST_F(FullCapture, OnlyTheWantedSectionsAreThere) {
  const std::vector<std::string> wanted = {"LaunchStats", "NoSuchSection"};
  const SectionCatalog catalog(capture_.profile, capture_.tree, rollup_,
                               wanted);
  const std::vector<SectionTable> tables = catalog.TablesOf(a_, Of(a_));
  ASSERT_EQ(tables.size(), 1);
  EXPECT_EQ(tables[0].title, "Launch Statistics");
  const SectionCatalog all(capture_.profile, capture_.tree, rollup_);
  EXPECT_GT(all.TablesOf(a_, Of(a_)).size(), 15);
}

TEST_F(FullCapture, ARegionWithOneKernelShowsItsValuesUnmarked) {
  RegionTree tree;
  tree[RegionTree::kRoot].kernels = {MeasurementId{0}};
  Notes notes;
  const Rollup rollup = RollUp(capture_.profile, tree, {}, notes);
  const SectionCatalog catalog(capture_.profile, tree, rollup);
  const std::string text = SectionsText(
      capture_.profile,
      catalog.TablesOf(RegionTree::kRoot, rollup.scopes[0].totals));
  EXPECT_THAT(text, Not(HasSubstr("~")));
  EXPECT_THAT(text, Not(HasSubstr("<=")));
  EXPECT_THAT(text, HasSubstr("Duration                         us        "
                              "14.27\n"));
  EXPECT_THAT(text, HasSubstr("Elapsed Cycles                cycle       "
                              "28,209\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("Grid Size +16,384\n"));
}

TEST_F(FullCapture, FindingsAreGroupedAndRankedByWhatTheyWouldGain) {
  const std::vector<Finding> findings =
      FindingsOf(capture_.profile, Kernels(a_));
  ASSERT_GT(findings.size(), 8);
  std::vector<double> gains;
  for (const Finding& finding : findings) {
    EXPECT_LE(finding.kernels, 6);
    EXPECT_LE(finding.time_share, 1 + 1e-12);
    EXPECT_THAT(finding.text, Not(HasSubstr("@section:")));
    EXPECT_THAT(finding.text, Not(HasSubstr("@url:")));
    gains.push_back(finding.time_ns * finding.speedup_percent.value_or(0));
  }
  const auto stall = std::ranges::find(findings, "CPIStall", &Finding::rule);
  ASSERT_NE(stall, findings.end());
  EXPECT_EQ(stall->title, "Long Scoreboard Stalls");
  EXPECT_EQ(stall->kernels, 5);
  EXPECT_TRUE(stall->speedup_is_global);
  EXPECT_NEAR(*stall->speedup_percent, 36.8, 0.05);
  EXPECT_NEAR(stall->time_share, 0.6246, 0.0001);
  const auto occupancy =
      std::ranges::find(findings, "AchievedOccupancy", &Finding::rule);
  ASSERT_NE(occupancy, findings.end());
  EXPECT_LT(stall, occupancy);
  EXPECT_THAT(occupancy->text, HasSubstr("See the CUDA Best Practices Guide "
                                         "for more details"));
  EXPECT_THAT(FindingsOf(capture_.profile, {}), IsEmpty());
}

TEST_F(FullCapture, TheVerdictIsOneLineWithTwoNumbers) {
  const LimitVerdict verdict = VerdictOf(rollup_, Of(a_));
  EXPECT_EQ(verdict.text, "latency bound: compute 44 %, memory 27 % of peak");
  // The last kernel is arithmetic alone.
  RegionTree tree;
  tree[RegionTree::kRoot].kernels = {MeasurementId{5}};
  Notes notes;
  const Rollup burn = RollUp(capture_.profile, tree, {}, notes);
  EXPECT_EQ(VerdictOf(burn, burn.scopes[0].totals).text,
            "compute bound: compute 84 %, memory 10 % of peak");
}

TEST_F(FullCapture, TheRooflineStandsOnTheDevicesOwnPeaks) {
  const std::vector<RooflineRow> rows = Roofline(rollup_).RowsOf(Of(a_));
  ASSERT_EQ(rows.size(), 2);
  const RooflineRow& fp32 = rows[0];
  EXPECT_EQ(fp32.precision, "fp32");
  EXPECT_EQ(fp32.how, How::kExact);
  // 132 SMs, 128 fused multiply-adds a cycle, at about 1.97 GHz.
  EXPECT_NEAR(*fp32.peak, 132 * 128 * 2 * 1.97e9, 0.01e14);
  EXPECT_NEAR(*fp32.peak_bandwidth, 4.8e12, 0.02e12);
  EXPECT_NEAR(fp32.intensity, fp32.work / fp32.dram_bytes, 1e-12);
  EXPECT_FALSE(fp32.memory_side);
  EXPECT_NEAR(*fp32.percent, 100 * fp32.achieved / *fp32.limit, 1e-9);
}

TEST_F(FullCapture, AnExplanationShowsTheArithmetic) {
  const auto explain = [&](std::string_view metric, std::size_t rows = 50) {
    return Explain(capture_.profile, Kernels(a_), metric, options_, rows);
  };
  EXPECT_EQ(explain("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"),
            R"(l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct
  rule: ratio
  measurements: 6 with it, 0 without
  over: l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
  under: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    id kernel                                      over   under
     0 saxpy(int, float, const float *, float …       0 1048576
     1 saxpy(int, float, const float *, float …       0 1048576
     2 stencil(int, const float *, float *)     1277970 1835006
     3 stencil(int, const float *, float *)     1277968 1835006
     4 stencil(int, const float *, float *)     1277968 1835006
     5 void burn<(int)256>(int, float *)              0  524288
  100 * sum(over) / sum(under) = 100 * 3833906 / 8126458
  smallest 0, largest 69.6439139708535
  result: 47.178069461504634 %, exact
)");
  EXPECT_THAT(explain("dram__bytes.sum.per_second"),
              HasSubstr("sum(value*weight) / sum(weight) = 1.37933568e+17 / "
                        "108000\n"));
  EXPECT_THAT(explain("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
              HasSubstr("sm__issue_active.avg.pct_of_peak_sustained_elapsed = "
                        "44.33788674759419, exact"));
  EXPECT_THAT(explain("arithmetic_intensity"),
              HasSubstr("  formula: flop / dram_bytes\n"));
  EXPECT_THAT(explain("smsp__inst_executed.sum", 2), HasSubstr("and 4 more\n"));
  EXPECT_THAT(explain("nobody__has.sum"),
              HasSubstr("result: absent: not collected\n"));
}

TEST(WithoutMarkup, LinksAreTheirLabels) {
  EXPECT_EQ(WithoutMarkup("See @section:WarpStateStats:Warp State@ and "
                          "@url:the guide:https://x.org/a:b#c@."),
            "See Warp State and the guide.");
  EXPECT_EQ(WithoutMarkup("mail me@home, @ @section:X"),
            "mail me@home, @ @section:X");
  EXPECT_EQ(WithoutMarkup("a@b@section:Id:Label@c"), "a@bLabelc");
  EXPECT_EQ(WithoutMarkup(""), "");
}

}  // namespace
}  // namespace rangefinder
