#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "summary/exact_total.h"

namespace rangefinder {
namespace {

TimeStat StatOf(const std::vector<std::uint64_t>& values,
                std::int32_t rank = 0) {
  TimeStat stat;
  for (const std::uint64_t value : values) stat.Add(value, rank);
  return stat;
}

TEST(TimeStat, KeepsTheExtremesWithTheirRanks) {
  TimeStat all = StatOf({5, 9}, 3);
  all.Add(StatOf({2, 9}, 1));
  all.Add(StatOf({2, 4}, 2));
  EXPECT_EQ(all.min, 2U);
  EXPECT_EQ(all.min_rank, 1);
  EXPECT_EQ(all.max, 9U);
  EXPECT_EQ(all.max_rank, 1) << "of equal ones the lowest";
  EXPECT_EQ(all.total(), 31U);
}

TEST(TimeStat, IsTheSameInAnyOrderAndGrouping) {
  std::mt19937_64 random(7);
  std::vector<TimeStat> parts;
  for (std::int32_t rank = 0; rank < 40; ++rank) {
    std::vector<std::uint64_t> values;
    for (std::uint64_t i = random() % 30; i > 0; --i)
      values.push_back(random() >> random() % 64);
    parts.push_back(StatOf(values, rank % 7 - 1));
  }
  TimeStat whole;
  for (const TimeStat& part : parts) whole.Add(part);
  for (int round = 0; round < 10; ++round) {
    std::ranges::shuffle(parts, random);
    TimeStat left, right;
    for (std::size_t i = 0; i < parts.size(); ++i)
      (i % 3 == 0 ? left : right).Add(parts[i]);
    left.Add(right);
    EXPECT_EQ(left, whole);
  }
}

TEST(TimeStat, QuantilesAreWithinOnePercent) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> values;
  TimeStat all;
  for (int rank = 0; rank < 20; ++rank) {
    TimeStat one;
    for (int i = 0; i < 500; ++i) {
      // From a microsecond to minutes.
      const double drawn = std::exp2(10 + 27 * static_cast<double>(random()) /
                                              static_cast<double>(~0ULL));
      values.push_back(static_cast<std::uint64_t>(drawn));
      one.Add(values.back(), rank);
    }
    all.Add(one);
  }
  std::ranges::sort(values);
  const Spread spread = all.ToSpread();
  for (const double q : {0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double exact = static_cast<double>(values[static_cast<std::size_t>(
        q * static_cast<double>(values.size() - 1))]);
    EXPECT_NEAR(spread.Quantile(q).value_or(0), exact, exact / 100) << q;
  }
}

TEST(TimeStat, OfASpreadHasItsMeanAndDeviation) {
  Spread spread;
  for (std::uint64_t i = 0; i < 1000; ++i) spread.Add(1000000 + i % 17);
  TimeStat stat;
  stat.Add(spread, 4);
  const Spread back = stat.ToSpread();
  EXPECT_EQ(back.count(), spread.count());
  EXPECT_EQ(back.sum(), spread.sum());
  EXPECT_EQ(back.min(), spread.min());
  EXPECT_EQ(back.max(), spread.max());
  EXPECT_NEAR(back.standard_deviation(), spread.standard_deviation(), 1e-2);
}

TEST(TimeStat, KeepsASumBeyond64Bits) {
  TimeStat stat = StatOf({~0ULL, ~0ULL});
  EXPECT_EQ(stat.total(), ~0ULL);
  EXPECT_NEAR(stat.ToSpread().mean(), 1.8446744073709552e19, 1e4);
  EXPECT_EQ(stat.ToSpread().max(), ~0ULL);
}

}  // namespace
}  // namespace rangefinder
