#include "profile/spread.h"

#include <cmath>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

TEST(Spread, OfNothingHasNoMedian) {
  const Spread spread;
  EXPECT_EQ(spread.count(), 0U);
  EXPECT_EQ(spread.min(), 0U);
  EXPECT_FALSE(spread.median().has_value());
}

TEST(Spread, OfAFewIsExact) {
  Spread spread;
  for (const std::uint64_t value : {4U, 2U, 9U, 1U}) spread.Add(value);
  EXPECT_EQ(spread.sum(), 16U);
  EXPECT_EQ(spread.min(), 1U);
  EXPECT_EQ(spread.max(), 9U);
  EXPECT_DOUBLE_EQ(spread.mean(), 4);
  EXPECT_DOUBLE_EQ(*spread.median(), 3);
  EXPECT_DOUBLE_EQ(spread.standard_deviation(), std::sqrt(38.0 / 4));
}

TEST(Spread, OfManyHasItsQuantilesWithinOnePercent) {
  Spread spread;
  for (std::uint64_t i = 0; i < 100000; ++i)
    spread.Add(1000 + i * 7919 % 100000);
  EXPECT_NEAR(*spread.Quantile(0.1), 11000, 110);
  EXPECT_NEAR(*spread.median(), 51000, 510);
  EXPECT_NEAR(*spread.Quantile(0.99), 100000, 1000);
  EXPECT_DOUBLE_EQ(*spread.Quantile(1), 100999);
}

TEST(Spread, OfPartsMergedIsThatOfTheWhole) {
  Spread whole, small, large;
  for (std::uint64_t i = 1; i <= 2000; ++i) {
    whole.Add(i * i);
    (i <= 100 ? small : large).Add(i * i);
  }
  small.Merge(large);
  EXPECT_EQ(small.count(), whole.count());
  EXPECT_EQ(small.sum(), whole.sum());
  EXPECT_EQ(small.min(), whole.min());
  EXPECT_NEAR(small.mean(), whole.mean(), whole.mean() * 1e-9);
  EXPECT_NEAR(small.standard_deviation(), whole.standard_deviation(), 1);
  EXPECT_DOUBLE_EQ(*small.median(), *whole.median());
  Spread other;
  other.Merge(small);
  EXPECT_DOUBLE_EQ(*other.median(), *whole.median());
}

TEST(Spread, HoldsAnyValue) {
  Spread spread;
  for (int i = 0; i < 300; ++i) spread.Add(~std::uint64_t{0} >> (i % 64));
  EXPECT_EQ(spread.max(), ~std::uint64_t{0});
  EXPECT_EQ(spread.min(), 1U);
  EXPECT_TRUE(spread.median().has_value());
}

}  // namespace
}  // namespace rangefinder
