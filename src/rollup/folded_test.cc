// Measurements that stand for many launches, as summaries have them.

#include "rollup/rollup.h"
#include "tests/support/rollup_fixture.h"

namespace rangefinder {
namespace {

TEST_F(RollUpTest, AMeasurementOfManyLaunchesCountsAsMany) {
  const RegionId a = Region("A");
  const RegionId inner = Region(a, "A1");
  Kernel(a, {{kTime, 10}});
  Kernel(inner, {{kTime, 90}, {"dram__bytes.sum", 200}});
  profile_.folded.push_back({.launches = 3, .min_ns = 20, .max_ns = 40});
  profile_.measurements.back().folded = 1;

  const Rollup rollup = Roll();
  const ScopeRollup& scope = rollup.scopes[0];
  EXPECT_EQ(scope.regions[Index(a)].inclusive.kernel_count, 4);
  EXPECT_EQ(scope.regions[Index(a)].inclusive.gpu_time_ns, 100);
  const RegionRollup& many = scope.regions[Index(inner)];
  EXPECT_EQ(many.exclusive.kernel_count, 3);
  EXPECT_EQ(many.exclusive.without_time, 0);
  EXPECT_EQ(Draw(many.exclusive.cells[1]), "200 exact sum");
  ASSERT_EQ(many.kernels.size(), 1);
  EXPECT_EQ(many.kernels[0].calls, 3);
  EXPECT_EQ(many.kernels[0].min_ns, 20);
  EXPECT_EQ(many.kernels[0].max_ns, 40);
}

}  // namespace
}  // namespace rangefinder
