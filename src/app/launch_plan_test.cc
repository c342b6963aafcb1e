#include "app/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;

TEST(KernelIds, ListTheLaunchesOfEachKernel) {
  const std::vector<Launch> launches = {
      {.mangled = "_Z4burnv", .number = 1},
      {.mangled = "_Z5saxpyv", .number = 2},
      {.mangled = "_Z5saxpyv", .number = 5},
  };
  const auto ids = KernelIds(launches);
  ASSERT_TRUE(ids.has_value());
  EXPECT_THAT(*ids, ElementsAre("::_Z4burnv:1", "::_Z5saxpyv:2|5"));
}

TEST(KernelIds, OfTooManyLaunchesAreNone) {
  std::vector<Launch> launches;
  for (std::uint64_t n = 1; n < 20'000; ++n)
    launches.push_back({.mangled = "k", .number = n});
  EXPECT_FALSE(KernelIds(launches).has_value());
}

// A trace of two launches of one thread, changed by the test.
Profile Trace() {
  Profile profile =
      testing::ProfileBuilder::Build("kernel k @ A\nkernel k @ A\n");
  for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
    profile.measurements[i].mangled_name = profile.strings.Intern("_Z1kv");
    profile.measurements[i].api_call = i + 1;
  }
  return profile;
}

TEST(LaunchesHaveNumbers, WhereOneThreadLaunchesThem) {
  const NcuOptions ncu;
  EXPECT_TRUE(LaunchesHaveNumbers(Trace(), ncu));
  EXPECT_FALSE(LaunchesHaveNumbers(Profile(), ncu));
  Profile profile = Trace();
  profile.measurements[1].thread = 8;
  EXPECT_FALSE(LaunchesHaveNumbers(profile, ncu));
  profile = Trace();
  profile.measurements[1].device = 1;
  EXPECT_FALSE(LaunchesHaveNumbers(profile, ncu));
  profile = Trace();
  profile.measurements[1].api_call = 1;  // both nodes of one graph
  EXPECT_FALSE(LaunchesHaveNumbers(profile, ncu));
  profile = Trace();
  profile.measurements[1].mangled_name = profile.strings.Intern("ns::k(int)");
  EXPECT_FALSE(LaunchesHaveNumbers(profile, ncu));
}

TEST(LaunchesHaveNumbers, NotWhereOtherFiltersChoose) {
  NcuOptions ncu;
  ncu.options["kernel_name"] = {"k"};
  EXPECT_FALSE(LaunchesHaveNumbers(Trace(), ncu));
}

}  // namespace
}  // namespace rangefinder
