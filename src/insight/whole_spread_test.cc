#include "insight/whole_spread.h"

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

RegionRollup Measured(std::vector<std::pair<ReplayMode, double>> rows) {
  RegionRollup region;
  for (const auto& [mode, value] : rows) {
    WholeRow row{.mode = mode};
    row.amounts.gpu_time_ns = 10 * value;
    Cell cell{.how = How::kMeasured};
    cell.value = value;
    row.amounts.cells = {cell, Cell{}};
    region.measured.push_back(row);
  }
  return region;
}

TEST(WholeSpread, HasRowsForEachMode) {
  const auto spreads = SpreadOfWholes(Measured({{ReplayMode::kRange, 4},
                                                {ReplayMode::kAppRange, 70},
                                                {ReplayMode::kRange, 1},
                                                {ReplayMode::kRange, 2},
                                                {ReplayMode::kRange, 9}}),
                                      {0, 1});
  // A single instance (app-range) and a metric without values have no spread.
  ASSERT_EQ(spreads.size(), 2U);
  EXPECT_FALSE(spreads[0].column.has_value());
  EXPECT_EQ(spreads[0].max, 90);
  EXPECT_EQ(spreads[1].column, std::size_t{0});
  EXPECT_EQ(spreads[1].instances, 4U);
  EXPECT_EQ(spreads[1].min, 1);
  EXPECT_EQ(spreads[1].median, 3);
  EXPECT_EQ(spreads[1].max, 9);
}

}  // namespace
}  // namespace rangefinder
