#include "app/budget_plan.h"

#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

TEST(BudgetPlan, EveryKernelIsALaunchInItsRegion) {
  const Profile profile = testing::ProfileBuilder::Build(
      "kernel saxpy gpu__time_duration.sum=1500 @ A/A::A1\n"
      "range gpu__time_duration.sum=9000 @ A\n"
      "kernel burn @ LLM@prefill\n");

  const std::vector<Launch> launches = LaunchesOf(profile);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].region, "A/A::A1");
  EXPECT_EQ(launches[0].kernel, "saxpy");
  EXPECT_EQ(launches[0].gpu_ns, 1500);
  EXPECT_EQ(launches[1].region, "LLM@prefill");
}

}  // namespace
}  // namespace rangefinder
