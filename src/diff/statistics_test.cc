#include "diff/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/simulated_reports.h"

namespace rangefinder {
namespace {

using testing::Program;
using testing::Simulate;

// Known values: R's wilcox.test(c(1,2,3,4,5), c(6,7,8,9,10)) and the like.
TEST(MannWhitney, IsExactForFewValues) {
  const std::vector<double> low = {1, 2, 3, 4, 5}, high = {6, 7, 8, 9, 10};
  EXPECT_DOUBLE_EQ(MannWhitneyP(low, high), 2.0 / 252);
  EXPECT_DOUBLE_EQ(MannWhitneyP(high, low), 2.0 / 252);
  const std::vector<double> a = {1, 3, 5, 7}, b = {2, 4, 6, 8};
  EXPECT_NEAR(MannWhitneyP(a, b), 0.685714, 1e-6);
  EXPECT_DOUBLE_EQ(MannWhitneyP({}, b), 1);
}

TEST(MannWhitney, CorrectsForTies) {
  const std::vector<double> same = {4, 4, 4, 4};
  EXPECT_DOUBLE_EQ(MannWhitneyP(same, same), 1);
  const std::vector<double> a = {1, 1, 2, 2, 3}, b = {3, 4, 4, 5, 5};
  EXPECT_NEAR(MannWhitneyP(a, b), 0.0153, 2e-3);
}

TEST(BenjaminiHochberg, AdjustsAsRsPAdjustDoes) {
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.5};
  const std::vector<double> q = BenjaminiHochberg(p);
  EXPECT_NEAR(q[0], 0.04, 1e-12);
  EXPECT_NEAR(q[1], 0.16 / 3, 1e-12);
  EXPECT_NEAR(q[2], 0.16 / 3, 1e-12);
  EXPECT_NEAR(q[3], 0.5, 1e-12);
}

TEST(BootstrapRatio, HoldsTheRatioAndNothingElseWithoutNoise) {
  const std::vector<double> base(5, 10), other(5, 12);
  const Interval interval = BootstrapRatio(base, other);
  EXPECT_DOUBLE_EQ(interval.low, 1.2);
  EXPECT_DOUBLE_EQ(interval.high, 1.2);
  EXPECT_TRUE(interval.Excludes(1));
}

TEST(RunsNeeded, GrowsWithTheNoiseAndTheRows) {
  EXPECT_EQ(RunsNeeded(1, 0.02, 200, 0.01), 0U);
  EXPECT_EQ(RunsNeeded(2, 0.02, 200, 0.01), 5U);
  EXPECT_GT(RunsNeeded(1.05, 0.04, 200, 0.01), RunsNeeded(1.05, 0.04, 1, 0.01));
  EXPECT_GT(RunsNeeded(1.05, 0.04, 1, 0.01), RunsNeeded(1.05, 0.02, 1, 0.01));
}

TEST(PermutationP, IsTheShareOfLabellingsThatDifferAsMuch) {
  // Only the real labelling makes a row so much slower.
  const std::vector<RunValues> rows = {{10, 11, 10, 11, 10, 20, 21, 20, 21, 20},
                                       {5, 6, 5, 6, 5, 6, 5, 6, 5, 6}};
  const std::vector<double> p = PermutationP(rows, 5);
  EXPECT_DOUBLE_EQ(p[0], 1.0 / 252);
  EXPECT_GT(p[1], 0.5);
}

TEST(PermutationP, SaysNothingOfSingleRuns) {
  EXPECT_EQ(PermutationP(std::vector<RunValues>{{1, 2}}, 1),
            std::vector<double>{1});
}

// ---- Simulated reports: what is promised, counted ---------------------------

// In how many of so many reports a row is called different at 1 %, to either
// side.
std::size_t FalseReports(const Program& program, std::size_t reports) {
  std::mt19937_64 random(7);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < reports; ++i) {
    const std::vector<double> p =
        PermutationP(Simulate(program, random), program.runs);
    wrong += std::ranges::any_of(p, [](double value) { return value <= 0.01; });
  }
  return wrong;
}

// Of 400 reports at 1 % to each side eight are expected, at most sixteen in
// 99.6 % of all tries.
constexpr std::size_t kReports = 400;
constexpr std::size_t kMost = 16;

TEST(WholeReports, OfEqualProgramsAreRarelyCalledDifferent) {
  EXPECT_LE(FalseReports({.rows = 60}, kReports), kMost);
  EXPECT_LE(FalseReports({.rows = 60, .runs = 5}, kReports), kMost);
  EXPECT_LE(FalseReports({.rows = 60, .common = 0.05}, kReports), kMost);
}

TEST(WholeReports, WithTwoClocksDriftOrOutliersAreNotEither) {
  EXPECT_LE(FalseReports({.rows = 60, .two_clocks = true}, kReports), kMost);
  EXPECT_LE(FalseReports({.rows = 60, .drifts = true}, kReports), kMost);
  EXPECT_LE(FalseReports({.rows = 60, .outliers = true}, kReports), kMost);
}

TEST(WholeReports, FindOneRowOfTwoHundredThatIsFivePercentSlower) {
  std::mt19937_64 random(11);
  std::size_t found = 0;
  for (int i = 0; i < 100; ++i) {
    const auto rows = Simulate({.rows = 200, .slower = 1.05}, random);
    found += PermutationP(rows, 10)[0] <= 0.01 ? 1U : 0U;
  }
  EXPECT_GE(found, 90U);
}

}  // namespace
}  // namespace rangefinder
