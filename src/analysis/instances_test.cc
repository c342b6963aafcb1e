#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/selected_profile.h"
#include "region/path.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;

// The kernels that are left, each with its region.
std::vector<std::string> Kept(std::string_view drawn, std::uint64_t skip,
                              std::optional<std::uint64_t> count) {
  Profile profile = testing::ProfileBuilder::Build(drawn);
  Notes notes;
  KeepInstances({.skip = skip, .count = count}, {}, profile, notes);
  std::vector<std::string> kept;
  for (const Measurement& m : profile.measurements) {
    kept.push_back(std::string(profile.Name(m.demangled_name)) + " " +
                   RegionLabel(profile, PathOf(profile, m)));
  }
  return kept;
}

TEST(KeepInstances, LeavesOutTheKernelsOfTheOthers) {
  EXPECT_THAT(Kept("kernel k0 @ step#1\n"
                   "kernel k1 @ step#2\n"
                   "kernel k2 @ step#3\n"
                   "kernel k3 @ step#4\n"
                   "kernel outside\n",
                   1, 2),
              ElementsAre("k1 step", "k2 step", "outside "));
}

TEST(KeepInstances, WhatIsInsideAnInstanceGoesWithIt) {
  EXPECT_THAT(Kept("kernel a @ main#1/step#2/layer#3\n"
                   "kernel b @ main#1/step#2/layer#4\n"
                   "kernel c @ main#1/step#5/layer#6\n"
                   "kernel d @ main#1/step#5/layer#7\n"
                   "range @ main#1/step#2\n",
                   1, std::nullopt),
              ElementsAre("c main/step/layer", "d main/step/layer"));
}

TEST(KeepInstances, ARangeThatRanOnceIsKept) {
  EXPECT_THAT(Kept("kernel a @ prefill#1\n", 3, 1), ElementsAre("a prefill"));
}

TEST(KeepInstances, RangesMeasuredAsAWholeAreChosenTheSameWay) {
  EXPECT_THAT(Kept("range @ step#1\nrange @ step#2\nrange @ other#3\n"
                   "range @ other#4\nrange @ once#5\n",
                   1, std::nullopt),
              ElementsAre(" step", " other", " once"));
}

TEST(KeepInstances, WhatNcuChoseIsTakenAsItIs) {
  Profile profile = testing::ProfileBuilder::Build(
      "kernel k1 @ step#2\nkernel k2 @ step#3\n");
  profile.artifacts = {{.path = "run.ncu-rep"}};
  Notes notes;
  KeepInstances({.skip = 1, .count = 2},
                {{"run.ncu-rep", {.skip = 1, .count = 2}}}, profile, notes);
  EXPECT_EQ(profile.measurements.size(), 2U);
  EXPECT_TRUE(notes.all().empty());

  // Others than those are not there.
  KeepInstances({.skip = 4, .count = 2},
                {{"run.ncu-rep", {.skip = 1, .count = 2}}}, profile, notes);
  EXPECT_EQ(profile.measurements.size(), 2U);
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].kind, "instances_not_measured");
}

}  // namespace
}  // namespace rangefinder
