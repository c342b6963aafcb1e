// The options of ncu for the requested metrics and sections.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/ncu_request.h"

namespace rangefinder {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Collection, NamesThatNoChipHasAreLeftOutAndNoted) {
  NcuSettings ncu;
  ncu.metrics = {"nosuch__metric.sum", "gpu__time_duration.sum"};
  ncu.exact_rollup = false;
  Notes notes;
  EXPECT_EQ(CollectedMetrics(ncu, {}, notes),
            std::vector<std::string>{"gpu__time_duration.sum"});
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].text,
            "no chip has the metric nosuch__metric.sum: left out");
}

TEST(Collection, InputsOfAThroughputAreAddedByDefault) {
  NcuSettings ncu;
  ncu.metrics = {"dram__throughput.avg.pct_of_peak_sustained_elapsed"};
  Notes notes;
  const std::vector<std::string> metrics = CollectedMetrics(ncu, {}, notes);
  EXPECT_GT(metrics.size(), 1U);
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_THAT(notes.all()[0].text,
              HasSubstr("combined exactly; that takes no further pass"));
  ncu.exact_rollup = false;
  EXPECT_EQ(CollectedMetrics(ncu, {}, notes), ncu.metrics);
}

// Patched instructions are counted in a pass of their own, the duration is not.
TEST(Collection, TheFurtherPassOfPatchedMetricsIsNoted) {
  NcuSettings ncu;
  ncu.metrics = {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"};
  Notes notes;
  EXPECT_THAT(CollectedMetrics(ncu, {}, notes),
              Contains("gpu__time_duration.sum"));
  EXPECT_THAT(notes.all().at(0).text, HasSubstr("1 more metric is collected"));
  EXPECT_THAT(notes.all().at(0).text, HasSubstr("takes 1 further pass"));
  Notes beside;
  ncu.sections = {"SpeedOfLight"};
  CollectedMetrics(ncu, {}, beside);
  EXPECT_THAT(beside.all().at(0).text, HasSubstr("takes no further pass"));
}

TEST(Collection, MetricsOfSectionsGetTheirInputsToo) {
  NcuSettings ncu;
  ncu.sections = {"SpeedOfLight"};
  Notes notes;
  const auto of_section = CollectedMetrics(ncu, {}, notes);
  EXPECT_THAT(of_section, Contains("lts__cycles_elapsed.avg"));
  EXPECT_THAT(of_section, Not(Contains("l1tex__t_sectors.sum")));
  ncu.sections = {};
  ncu.set = "full";
  const auto of_set = CollectedMetrics(ncu, {}, notes);
  EXPECT_THAT(of_set, Contains("l1tex__t_sectors.sum"));
  EXPECT_THAT(of_set, Contains("smsp__sass_branch_targets.sum"));
  // ncu refuses patched metrics in range replay.
  ncu.replay_mode = "app-range";
  for (const std::string& metric : CollectedMetrics(ncu, {}, notes))
    EXPECT_EQ(metric.find("sass"), std::string::npos) << metric;
  // Without a request, ncu selects sections; --metrics would replace them.
  EXPECT_THAT(CollectedMetrics({}, {}, notes), ::testing::IsEmpty());
}

TEST(Collection, RangeReplayRequestsNoPatchedMetrics) {
  NcuSettings ncu;
  ncu.replay_mode = "range";
  ncu.exact_rollup = false;
  ncu.metrics = {"smsp__sass_inst_executed_op_shared.sum", "dram__bytes.sum"};
  Notes notes;
  EXPECT_THAT(CollectedMetrics(ncu, {}, notes), ElementsAre("dram__bytes.sum"));
  EXPECT_THAT(notes.all().at(0).text, HasSubstr("1 metric is left out"));
}

TEST(Collection, ADerivedMetricIsReplacedByItsInputs) {
  NcuSettings ncu;
  ncu.exact_rollup = false;
  const std::vector<DerivedMetric> mine = {
      {.name = "kib", .formula = "first(no__such.sum, other) / 2"},
      {.name = "other", .formula = "1024 * lts__t_sectors.sum"},
      {.name = "never", .formula = "no__such.sum + other"}};
  Notes notes;
  ncu.metrics = {"kib", "never"};
  EXPECT_THAT(CollectedMetrics(ncu, mine, notes),
              ElementsAre("lts__t_sectors.sum"));
  EXPECT_EQ(notes.all().at(0).text, "no chip has the metric never: left out");
  ncu.metrics = {"dram_bandwidth"};
  EXPECT_THAT(CollectedMetrics(ncu, mine, notes), Not(Contains("dram")));
}

TEST(Collection, NamesThatNcuExpandsOrOnlyTheFactsKnowAreKept) {
  NcuSettings ncu;
  ncu.exact_rollup = false;
  ncu.metrics = {"breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed",
                 "launch__grid_size", "sm__cycles_active.avg"};
  Notes notes;
  EXPECT_EQ(CollectedMetrics(ncu, {}, notes), ncu.metrics);
  EXPECT_TRUE(notes.all().empty());
}

}  // namespace
}  // namespace rangefinder
