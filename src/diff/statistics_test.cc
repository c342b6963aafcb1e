#include "diff/statistics.h"

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

TEST(RatioBootstrap, IsTheRatioAloneWithoutNoise) {
  const std::vector<double> base(5, 10), other(5, 12);
  const Interval interval = RatioBootstrap(5, 5).Of(base, other);
  EXPECT_DOUBLE_EQ(interval.low, 1.2);
  EXPECT_DOUBLE_EQ(interval.high, 1.2);
  EXPECT_TRUE(interval.Excludes(1));
}

// With few values, the interval covers every median that a resample can have:
// 7 of 27 resamples of 1, 2, 3 have the median 1.
TEST(RatioBootstrap, TakesTheMiddlesOfResamples) {
  const std::vector<double> base = {2, 1, 3}, other = {6, 6, 6};
  const Interval interval = RatioBootstrap(3, 3).Of(base, other);
  EXPECT_DOUBLE_EQ(interval.low, 2);
  EXPECT_DOUBLE_EQ(interval.high, 6);
  const std::vector<double> pair = {1, 3}, one = {4};
  EXPECT_DOUBLE_EQ(RatioBootstrap(2, 1).Of(pair, one).high, 4);
}

TEST(RunsNeeded, IsTenForFivePercentOfOneRowInTwoHundred) {
  EXPECT_EQ(RunsNeeded(1.05, 0.02, 200, 0.01), 10U);
}

TEST(RunsNeeded, GrowsWithTheNoiseAndTheRows) {
  EXPECT_EQ(RunsNeeded(1, 0.02, 200, 0.01), 0U);
  EXPECT_EQ(RunsNeeded(2, 0.02, 200, 0.01), 5U);
  // With 5 runs per side, the smallest possible p is 1 in 126.
  EXPECT_EQ(RunsNeeded(2, 0.001, 1, 0.005), 6U);
  EXPECT_EQ(RunsNeeded(2, 0.001, 1, 0.001), 7U);
  EXPECT_GT(RunsNeeded(1.05, 0.04, 200, 0.01), RunsNeeded(1.05, 0.04, 1, 0.01));
  EXPECT_GT(RunsNeeded(1.05, 0.04, 1, 0.01), RunsNeeded(1.05, 0.02, 1, 0.01));
}

}  // namespace
}  // namespace rangefinder
