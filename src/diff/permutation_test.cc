#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "diff/statistics.h"
#include "tests/support/simulated_reports.h"

namespace rangefinder {
namespace {

using testing::Normal;
using testing::Simulate;

// The sum of the squares of `degrees` normal numbers.
double ChiSquare(std::size_t degrees, std::mt19937_64& random) {
  double sum = 0;
  for (std::size_t i = 0; i < degrees; ++i) sum += std::pow(Normal(random), 2);
  return sum;
}

// The model of Smyth (2004): 1 / variance is chi-square of 8 over 8 times 3,
// and an observed variance is that variance times chi-square of 10 over 10.
// PriorOf() raises the smallest variances, so its degrees are slightly too
// high.
TEST(PriorOf, FindsThePriorOfDrawnVariances) {
  std::mt19937_64 random(3);
  std::vector<double> variances;
  for (int i = 0; i < 20000; ++i)
    variances.push_back(8 * 3 / ChiSquare(8, random) * ChiSquare(10, random) /
                        10);
  const VariancePrior prior = PriorOf(variances, 10);
  EXPECT_NEAR(prior.variance, 3, 0.3);
  EXPECT_NEAR(prior.degrees, 10, 2);
}

TEST(PriorOf, HasInfiniteDegreesForEqualVariances) {
  std::mt19937_64 random(4);
  std::vector<double> variances(500, 2);
  const VariancePrior alike = PriorOf(variances, 1e6);
  EXPECT_NEAR(alike.variance, 2, 1e-5);
  EXPECT_TRUE(std::isinf(alike.degrees));
  for (double& variance : variances) variance = 2 * ChiSquare(18, random) / 18;
  EXPECT_GT(PriorOf(variances, 18).degrees, 100);
  EXPECT_EQ(PriorOf(std::vector<double>{2}, 18).degrees, 0);
}

TEST(PriorOf, IgnoresFewRowsWithSmallerVariances) {
  std::mt19937_64 random(4);
  std::vector<double> variances(200);
  for (double& variance : variances) variance = 2 * ChiSquare(18, random) / 18;
  for (std::size_t i = 0; i < 10; ++i) variances[i] /= 100;
  EXPECT_NEAR(PriorOf(variances, 18).variance, 2, 0.2);
  EXPECT_GT(PriorOf(variances, 18).degrees, 40);
}

TEST(PermutationP, IsTheShareOfLabellingsThatDifferAsMuch) {
  // Only the real labelling and its mirror image make a row so different.
  const std::vector<RunValues> rows = {{10, 11, 10, 11, 10, 20, 21, 20, 21, 20},
                                       {5, 6, 5, 6, 5, 6, 5, 6, 5, 6}};
  const std::vector<double> p = PermutationP(rows, 5);
  EXPECT_DOUBLE_EQ(p[0], 2.0 / 252);
  EXPECT_GT(p[1], 0.5);
}

TEST(PermutationP, IsOneForSingleRuns) {
  EXPECT_EQ(PermutationP(std::vector<RunValues>{{1, 2}}, 1),
            std::vector<double>{1});
}

// If many rows are much faster, labellings close to the mirror image of the
// real labelling make these rows look slower. They must not hide a slower row.
TEST(PermutationP, FindsOneSlowerRowAmongMuchFasterOnes) {
  std::mt19937_64 random(5);
  auto rows = Simulate({.rows = 100, .slower = 1.1}, random);
  for (std::size_t row = 1; row < 90; ++row)
    for (std::size_t run = 10; run < 20; ++run) rows[row][run] /= 2;
  const std::vector<double> p = PermutationP(rows, 10);
  EXPECT_LE(p[0], 0.01);
  EXPECT_LE(p[89], 0.01);
  for (std::size_t row = 90; row < 100; ++row) EXPECT_GT(p[row], 0.01);
}

// Rows that differ by single ticks of the clock have no meaningful variance.
TEST(PermutationP, TreatsClockTicksAsNoise) {
  std::mt19937_64 random(6);
  auto rows = Simulate({.rows = 20, .slower = 1.1}, random);
  for (std::size_t row = 1; row < 20; ++row)
    for (std::size_t run = 0; run < 20; ++run)
      rows[row][run] = 1e6 + (random() % 8 == 0 ? 1 : 0);
  const std::vector<double> p = PermutationP(rows, 10);
  EXPECT_LE(p[0], 0.01);
  for (std::size_t row = 1; row < 20; ++row) EXPECT_GT(p[row], 0.01);
}

}  // namespace
}  // namespace rangefinder
