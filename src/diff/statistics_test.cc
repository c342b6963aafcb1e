#include "diff/statistics.h"

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

TEST(RatioBootstrap, HoldsTheRatioAndNothingElseWithoutNoise) {
  const std::vector<double> base(5, 10), other(5, 12);
  const Interval interval = RatioBootstrap(5, 5).Of(base, other);
  EXPECT_DOUBLE_EQ(interval.low, 1.2);
  EXPECT_DOUBLE_EQ(interval.high, 1.2);
  EXPECT_TRUE(interval.Excludes(1));
}

// Of few values, all that a resample's middle can be; of the base's 1, 2, 3 the
// least is the middle of 7 in 27 resamples.
TEST(RatioBootstrap, TakesTheMiddlesOfResamples) {
  const std::vector<double> base = {2, 1, 3}, other = {6, 6, 6};
  const Interval interval = RatioBootstrap(3, 3).Of(base, other);
  EXPECT_DOUBLE_EQ(interval.low, 2);
  EXPECT_DOUBLE_EQ(interval.high, 6);
  const std::vector<double> pair = {1, 3}, one = {4};
  EXPECT_DOUBLE_EQ(RatioBootstrap(2, 1).Of(pair, one).high, 4);
}

TEST(RunsNeeded, AreTenForFivePercentOfOneRowInTwoHundred) {
  EXPECT_EQ(RunsNeeded(1.05, 0.02, 200, 0.01), 10U);
}

TEST(RunsNeeded, GrowsWithTheNoiseAndTheRows) {
  EXPECT_EQ(RunsNeeded(1, 0.02, 200, 0.01), 0U);
  EXPECT_EQ(RunsNeeded(2, 0.02, 200, 0.01), 5U);
  // Of five and five runs one labelling in 126 is as clear as any.
  EXPECT_EQ(RunsNeeded(2, 0.001, 1, 0.005), 6U);
  EXPECT_EQ(RunsNeeded(2, 0.001, 1, 0.001), 7U);
  EXPECT_GT(RunsNeeded(1.05, 0.04, 200, 0.01), RunsNeeded(1.05, 0.04, 1, 0.01));
  EXPECT_GT(RunsNeeded(1.05, 0.04, 1, 0.01), RunsNeeded(1.05, 0.02, 1, 0.01));
}

}  // namespace
}  // namespace rangefinder
