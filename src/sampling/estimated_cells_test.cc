#include "sampling/estimated_cells.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "estimate/estimate.h"
#include "tests/support/simulated_programs.h"

namespace rangefinder {
namespace {

// Half of the interval is 10; 3 of it stay.
Cell Uncertain() {
  return {.how = How::kEstimated,
          .lasting = 3,
          .value = 100,
          .error = 5,
          .low = 90,
          .high = 110,
          .degrees = 1e6};
}

TEST(TimesAsLong, DependsOnThePartOfTheErrorThatFalls) {
  const Cell cell = Uncertain();
  EXPECT_EQ(TimesAsLong(cell, 0.1), 1);
  EXPECT_EQ(TimesAsLong(cell, 0.2), 1);
  EXPECT_NEAR(*TimesAsLong(cell, 0.05), (100 - 9) / (25 - 9.), 0.02);
  EXPECT_NEAR(*TimesAsLong(cell, 0.04), (100 - 9) / (16 - 9.), 0.05);
  EXPECT_FALSE(TimesAsLong(cell, 0.03));
  EXPECT_FALSE(TimesAsLong(cell, 0.01));
}

TEST(TimesAsLong, IsLessWhereFewBlocksMakeTheIntervalWide) {
  Cell cell = Uncertain();
  cell.lasting = 0;
  cell.degrees = 1;
  // Student's t falls from 12.7 to 3.8 at 2.3 degrees of freedom; without that
  // it would be 25.
  EXPECT_NEAR(*TimesAsLong(cell, 0.02), 2.29, 0.05);
}

TEST(TimesAsLong, IsNotKnownOfABound) {
  Cell cell = Uncertain();
  cell.low = 0;
  cell.high = 250;
  MarkBound(cell);
  EXPECT_EQ(cell.bound, Bound::kUpper);
  EXPECT_FALSE(TimesAsLong(cell, 0.02));
}

TEST(MarkBound, LeavesEstimatesAboveZeroAndExactZeros) {
  Cell cell = Uncertain();
  MarkBound(cell);
  EXPECT_EQ(cell.bound, Bound::kNone);
  Cell none{.how = How::kEstimated};
  MarkBound(none);
  EXPECT_EQ(none.bound, Bound::kNone);
}

// Runs of the predicted length have about the requested precision.
TEST(TimesAsLong, HoldsInSimulatedPrograms) {
  std::vector<double> reached;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto estimate = [&](std::uint32_t steps) {
      SimulatedRun run = DecodeLoop(seed, steps);
      const CounterFit fit = FitOf(run, 100e3, {.scan_clocks = false});
      const RegionQuery query = run.Regions()[0];
      const CounterEstimate one = fit.Estimate({&query, 1}).front().metrics[0];
      return Cell{.how = How::kEstimated,
                  .lasting = static_cast<float>(one.lasting),
                  .value = one.total.value_or(0),
                  .low = one.low,
                  .high = one.high,
                  .degrees = static_cast<float>(one.degrees_of_freedom)};
    };
    const auto share = [](const Cell& cell) {
      return (cell.high - cell.value) / cell.value;
    };
    const Cell is = estimate(60);
    const double lasting = double{is.lasting} / is.value;
    const double asked = std::max(share(is) / 2, (share(is) + lasting) / 2);
    const auto times = TimesAsLong(is, asked);
    ASSERT_TRUE(times);
    const auto steps = static_cast<std::uint32_t>(std::ceil(60 * *times));
    reached.push_back(share(estimate(steps)) / asked);
  }
  std::ranges::sort(reached);
  EXPECT_GT(reached[reached.size() / 2], 0.7);
  EXPECT_LT(reached[reached.size() / 2], 1.3);
}

}  // namespace
}  // namespace rangefinder
