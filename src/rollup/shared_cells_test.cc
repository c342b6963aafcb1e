// What is the same is there once: a capture with hundreds of metrics has
// regions by the hundred thousand, and most were not measured.

#include <gtest/gtest.h>

#include "tests/support/rollup_fixture.h"

namespace rangefinder {
namespace {

TEST_F(RollUpTest, RegionsWithoutMeasurementsShareOneListOfCells) {
  const RegionId step = Region("step");
  const RegionId measured = Region(step, "measured");
  Kernel(measured, {{kTime, 10}, {"dram__bytes.sum", 100}});
  const RegionId first = Region(step, "first");
  const RegionId second = Region("second");

  const Rollup rollup = Roll();
  ASSERT_EQ(rollup.scopes.size(), 2);
  const ScopeRollup& scope = rollup.scopes[0];
  const auto& nothing = scope.regions[Index(first)].inclusive;
  EXPECT_EQ(nothing.kernel_count, 0);
  EXPECT_EQ(Draw(nothing.cells[0]),
            "- absent sum (no value in any "
            "measurement)");
  for (const ScopeRollup& each : rollup.scopes) {
    for (const RegionId id : {first, second}) {
      const RegionRollup& region = each.regions[Index(id)];
      EXPECT_EQ(region.inclusive.cells.begin(), nothing.cells.begin());
      EXPECT_EQ(region.exclusive.cells.begin(), nothing.cells.begin());
    }
  }
  const RegionRollup& outer = scope.regions[Index(step)];
  EXPECT_EQ(outer.exclusive.cells.begin(), nothing.cells.begin());
  EXPECT_EQ(outer.inclusive.gpu_time_ns, 10);
}

}  // namespace
}  // namespace rangefinder
