#include "profile/region_times.h"

#include <cmath>
#include <string>

#include <fmt/format.h>
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

// "0-5 10-30/12x3": from, to, and where several were joined their time and
// number.
std::string Drawn(SpanKeeper& keeper, std::size_t list = 0) {
  std::string drawn;
  for (const TimeSpan& span : keeper.Take(list)) {
    drawn += fmt::format("{}{}-{}", drawn.empty() ? "" : " ", span.start_ns,
                         span.end_ns);
    if (span.count > 1)
      drawn += fmt::format("/{}x{}", span.busy_ns, span.count);
  }
  return drawn;
}

void Add(SpanKeeper& keeper, std::uint64_t start, std::uint64_t end,
         std::size_t list = 0) {
  keeper.Add(list, {.start_ns = start, .end_ns = end, .busy_ns = end - start});
}

TEST(SpanKeeper, KeepsAllSpansBelowTheLimit) {
  SpanKeeper keeper(4);
  for (std::uint64_t at : {0, 10, 20, 30}) Add(keeper, at, at + 5);
  EXPECT_EQ(Drawn(keeper), "0-5 10-15 20-25 30-35");
}

TEST(SpanKeeper, JoinsShortSpansAndKeepsLongOnes) {
  SpanKeeper keeper(10);
  for (std::uint64_t at = 0; at < 100; at += 10) Add(keeper, at, at + 5);
  Add(keeper, 2000, 90000);
  Add(keeper, 90000, 90005);
  Add(keeper, 3000, 3005, 1);
  Add(keeper, 3010, 3020, 1);
  Add(keeper, 5000, 5010, 1);
  EXPECT_EQ(Drawn(keeper), "0-95/50x10 2000-90000 90000-90005");
  EXPECT_EQ(Drawn(keeper, 1), "3000-3020/15x2 5000-5010");
}

TEST(SpanKeeper, JoinsManyIntoFewWithoutLoss) {
  SpanKeeper keeper(1000);
  for (std::uint64_t i = 0; i < 300'000; ++i)
    Add(keeper, i * 100, i * 100 + 40, i % 3);
  std::uint64_t count = 0, busy = 0, spans = 0;
  for (std::size_t list = 0; list < keeper.lists(); ++list) {
    for (const TimeSpan& span : keeper.Take(list)) {
      count += span.count;
      busy += span.busy_ns;
      ++spans;
    }
  }
  EXPECT_EQ(count, 300'000);
  EXPECT_EQ(busy, 300'000 * 40);
  EXPECT_LE(spans, 1000);
  EXPECT_GE(spans, 100);
}

TEST(SpanKeeper, KeepsOneSpanInEveryList) {
  SpanKeeper keeper(10);
  for (std::size_t list = 0; list < 100; ++list) {
    Add(keeper, list, list + 1, list);
    Add(keeper, list + 5, list + 6, list);
  }
  EXPECT_EQ(Drawn(keeper, 3), "3-9/2x2");
  EXPECT_EQ(Drawn(keeper, 99), "99-105/2x2");
}

}  // namespace

}  // namespace rangefinder
