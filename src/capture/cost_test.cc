#include "capture/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 100 decode steps of a small and a large kernel, after one prefill.
std::vector<Launch> Decode() {
  std::vector<Launch> launches = {{"prefill", "gemm", "(64)", 5e6}};
  for (int i = 0; i < 100; ++i) {
    launches.push_back({"decode", "gemm", "(8)", 1e6});
    launches.push_back({"decode", "relu", "(8)", 1e4});
  }
  return launches;
}

TEST(Cost, IsLaunchesTimesPassesTimesTime) {
  const CostModel model{.launch_s = 1, .pass_s = 0.5};
  EXPECT_DOUBLE_EQ(
      EstimateSeconds(std::vector<Launch>{{"r", "k", "g", 1e9}}, 4, model),
      1 + 4 * 1.5);
}

TEST(Cost, AFirstRunCalibratesIt) {
  const CostModel model = Calibrated({}, 200, 100, 10);
  EXPECT_NEAR(100 * (model.launch_s + 10 * model.pass_s), 200, 1e-9);
  EXPECT_EQ(Calibrated({}, 0, 0, 0).pass_s, CostModel{}.pass_s);
}

TEST(Budget, WhatFitsIsMeasuredWhole) {
  const Budget budget = FitBudget(Decode(), 1, 1e6);
  EXPECT_EQ(budget.launch_count, 0U);
  EXPECT_EQ(budget.measured, 201U);

  NcuOptions options;
  ApplyBudget(budget, options);
  EXPECT_TRUE(options.options.empty());
}

TEST(Budget, TakesTheFirstLaunchesOfEachKernelAndGrid) {
  const CostModel model{.launch_s = 1, .pass_s = 0};
  const Budget budget = FitBudget(Decode(), 1, 25, model);

  // 1 prefill, and 11 of each of decode: 23 s and a little.
  EXPECT_EQ(budget.launch_count, 11U);
  EXPECT_EQ(budget.measured, 23U);
  EXPECT_TRUE(budget.fits);
  EXPECT_LE(budget.seconds, 25);
  EXPECT_TRUE(budget.uncovered.empty());
  EXPECT_THAT(BudgetText(budget), HasSubstr("23 of 201 launches"));

  NcuOptions options;
  ApplyBudget(budget, options);
  EXPECT_THAT(options.options["launch_count"], ElementsAre("11"));
  EXPECT_THAT(options.options["filter_mode"], ElementsAre("per-launch-config"));
}

TEST(Budget, TheLeastThereIsMayBeTooMuch) {
  const Budget budget = FitBudget(Decode(), 10, 0.001);
  EXPECT_EQ(budget.launch_count, 1U);
  EXPECT_FALSE(budget.fits);
  EXPECT_THAT(BudgetText(budget), HasSubstr("more than the budget"));
}

TEST(Budget, ARegionThatSharesItsKernelsMayBeMissed) {
  const std::vector<Launch> launches = {{"first", "k", "g", 1},
                                        {"second", "k", "g", 1}};
  const Budget budget = FitBudget(launches, 10, 0.001);
  EXPECT_THAT(budget.uncovered, ElementsAre("second"));
}

TEST(Passes, AreMoreWithMoreAsked) {
  NcuOptions time;
  time.metrics = {"gpu__time_duration.sum"};
  NcuOptions throughput = time;
  throughput.metrics.emplace_back(
      "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  NcuOptions sections = throughput;
  sections.sections = {"SpeedOfLight", "Occupancy"};
  NcuOptions full;
  full.set = "full";

  EXPECT_EQ(EstimatePasses(time), 1);
  EXPECT_LT(EstimatePasses(time), EstimatePasses(throughput));
  EXPECT_LT(EstimatePasses(throughput), EstimatePasses(sections));
  EXPECT_LT(EstimatePasses(sections), EstimatePasses(full));
}

}  // namespace
}  // namespace rangefinder
