#include "profile/metric_name.h"

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

TEST(MetricName, ACounterHasUnitQuantityAndRollup) {
  const MetricName name = ParseMetricName("sm__inst_executed.sum");
  EXPECT_EQ(name.unit, "sm");
  EXPECT_EQ(name.quantity, "inst_executed");
  EXPECT_EQ(name.base, "sm__inst_executed");
  EXPECT_EQ(name.across, Across::kSum);
  EXPECT_EQ(name.form, Form::kCounter);
}

TEST(MetricName, SubmetricsAreForms) {
  const auto form = [](const char* text) { return ParseMetricName(text).form; };
  EXPECT_EQ(form("a__b.avg.pct_of_peak_sustained_active"), Form::kPctActive);
  EXPECT_EQ(form("a__b.avg.pct_of_peak_sustained_elapsed"), Form::kPctElapsed);
  EXPECT_EQ(form("a__b.max.per_cycle_active"), Form::kPerCycleActive);
  EXPECT_EQ(form("a__b.max.per_cycle_elapsed"), Form::kPerCycleElapsed);
  EXPECT_EQ(form("a__b.sum.per_second"), Form::kPerSecond);
  EXPECT_EQ(form("a__b.sum.peak_sustained_active.per_second"),
            Form::kPerSecond);
  EXPECT_EQ(form("a__b.sum.peak_sustained"), Form::kPeakSustained);
  EXPECT_EQ(form("a__b.ratio"), Form::kRatio);
  EXPECT_EQ(form("a__b.pct"), Form::kPct);
  EXPECT_EQ(form("a__b.max_rate"), Form::kMaxRate);
  EXPECT_EQ(form("a__b.sum.per_fortnight"), Form::kUnknown);
  EXPECT_EQ(form("a__b.median"), Form::kUnknown);
}

TEST(MetricName, OtherProvidersHaveNoSuffix) {
  EXPECT_EQ(ParseMetricName("launch__grid_size").form, Form::kPlain);
  EXPECT_EQ(ParseMetricName("launch__grid_size").unit, "launch");
  EXPECT_EQ(ParseMetricName("inst_executed").unit, "");
  EXPECT_EQ(ParseMetricName("").base, "");
}

TEST(MetricName, AGroupStandsBeforeTheUnit) {
  const MetricName name =
      ParseMetricName("TPC.TriageCompute.sm__cycles_active.avg");
  EXPECT_EQ(name.group, "TPC.TriageCompute");
  EXPECT_EQ(name.base, "sm__cycles_active");
  EXPECT_EQ(name.form, Form::kCounter);
  EXPECT_EQ(ParseMetricName("pmsampling:dram__bytes.sum").group, "pmsampling");
  EXPECT_EQ(ParseMetricName("pmsampling:dram__bytes.sum").unit, "dram");
}

}  // namespace
}  // namespace rangefinder
