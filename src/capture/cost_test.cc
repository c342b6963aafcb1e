#include "capture/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/plan.h"

namespace rangefinder {
namespace {

TEST(Cost, IsLaunchesTimesPassesTimesTime) {
  const CostModel model{.launch_s = 1, .pass_s = 0.5};
  EXPECT_DOUBLE_EQ(
      EstimateSeconds(std::vector<Launch>{{"r", "k", "g", 1e9}}, 4, model),
      1 + 4 * 1.5);
}

TEST(Cost, DisassemblyCostsMorePerLaunch) {
  NcuOptions full;
  full.set = "full";
  EXPECT_GT(ModelFor(full).launch_s, ModelFor({}).launch_s);
}

TEST(Cost, IsOneLineOfText) {
  EXPECT_EQ(ForecastText({.units = 840, .passes = 12, .seconds = 185}),
            "840 kernels x 12 passes: about 3 min");
  EXPECT_EQ(ForecastText({.unit = "range",
                          .units = 1,
                          .passes = 1,
                          .seconds = 0.2,
                          .runs = 2}),
            "1 range x 1 pass: about 1 s, in 2 runs");
}

NcuOptions Asked(std::vector<std::string> metrics,
                 std::vector<std::string> sections = {}) {
  NcuOptions options;
  options.metrics = std::move(metrics);
  options.sections = std::move(sections);
  return options;
}

// From the logs of recorded captures
// (docs/measured.md#how-long-an-ncu-run-takes).
TEST(Passes, EqualThoseOfRecordedCaptures) {
  const NcuOptions three =
      Asked({"gpu__time_duration.sum",
             "sm__throughput.avg.pct_of_peak_sustained_elapsed",
             "dram__throughput.avg.pct_of_peak_sustained_elapsed",
             "dram__bytes.sum"});
  EXPECT_EQ(EstimatePasses(three), 9);               // multiproc, graph_node
  EXPECT_EQ(EstimatePasses(three, "range"), 10);     // range_ABprefill
  EXPECT_EQ(EstimatePasses(three, "app-range"), 8);  // apprange_nested

  NcuOptions basic;
  basic.set = "basic";
  EXPECT_EQ(EstimatePasses(basic), 10);  // nested_basic
  EXPECT_EQ(EstimatePasses({}), 10);     // the same, by default
  EXPECT_EQ(EstimatePasses(basic, "app-range"), 9);
  EXPECT_EQ(EstimatePasses(basic, "range"), 11);
  NcuOptions full;
  full.set = "full";
  EXPECT_EQ(EstimatePasses(full), 38);  // nested_full_A

  EXPECT_EQ(EstimatePasses(Asked({"gpu__time_duration.sum"})), 1);
  const NcuOptions hits = Asked({"dram__bytes.sum", "lts__t_sectors.sum",
                                 "lts__t_sectors_lookup_hit.sum"});
  EXPECT_EQ(EstimatePasses(hits), 3);               // rollup/*.kernel
  EXPECT_EQ(EstimatePasses(hits, "app-range"), 2);  // rollup/*.range
}

// Passes that NVIDIA's scheduler gives for counters of sections' tables on
// GH100 (tools/metric_facts/passes.cc), and one more in kernel replay.
TEST(Passes, OfSectionsAreMostlyShared) {
  const auto sections = [](std::vector<std::string> names) {
    return EstimatePasses(Asked({}, std::move(names)), "app-range");
  };
  EXPECT_EQ(sections({"SpeedOfLight"}), 9);
  EXPECT_EQ(sections({"ComputeWorkloadAnalysis"}), 8);
  EXPECT_EQ(sections({"MemoryWorkloadAnalysis"}), 7);
  EXPECT_EQ(sections({"Occupancy"}), 1);
  EXPECT_EQ(sections({"WarpStateStats"}), 2);
  EXPECT_EQ(sections({"SpeedOfLight", "Occupancy", "WorkloadDistribution"}), 9);
  EXPECT_EQ(sections({"SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy",
                      "SchedulerStats"}),
            10);
  EXPECT_EQ(
      sections({"SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy",
                "SchedulerStats", "ComputeWorkloadAnalysis",
                "WorkloadDistribution", "WarpStateStats", "InstructionStats"}),
      10);
}

TEST(Passes, IncreaseWithTheMetrics) {
  const std::string throughput =
      "sm__throughput.avg.pct_of_peak_sustained_elapsed";
  EXPECT_LT(EstimatePasses(Asked({"gpu__time_duration.sum"})),
            EstimatePasses(Asked({throughput})));
  EXPECT_LT(
      EstimatePasses(Asked({throughput})),
      EstimatePasses(Asked({throughput}, {"SpeedOfLight", "WarpStateStats"})));
}

}  // namespace
}  // namespace rangefinder
