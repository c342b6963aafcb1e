#include "app/instance_plan.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/region_plan.h"
#include "region/path.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(InstanceNumbers, AreAlternativesAsNcuTakesThem) {
  EXPECT_EQ(InstanceNumbers(1, 3), "2|3|4");
  EXPECT_EQ(InstanceNumbers(0, 1), "1");
}

TEST(InstanceNumbers, WithoutAnEndAreAnExpression) {
  for (const std::uint64_t skip : {0U, 1U, 8U, 9U, 10U, 98U, 99U, 123U, 199U}) {
    const std::regex numbers(InstanceNumbers(skip, std::nullopt));
    for (std::uint64_t n = 1; n < 2500; ++n) {
      EXPECT_EQ(std::regex_match(std::to_string(n), numbers), n > skip)
          << skip << " " << n;
    }
  }
}

// The kernels that are left, each with its region.
std::vector<std::string> Kept(std::string_view drawn, std::uint64_t skip,
                              std::optional<std::uint64_t> count) {
  Profile profile = testing::ProfileBuilder::Build(drawn);
  RegionSettings settings;
  settings.instances_skip = skip;
  settings.instances_count = count;
  Notes notes;
  KeepInstances(settings, profile, notes);
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
  EXPECT_THAT(
      Kept("kernel a @ main#1/step#2/layer#3\n"
           "kernel b @ main#1/step#2/layer#4\n"
           "kernel c @ main#1/step#5/layer#6\n"
           "kernel d @ main#1/step#5/layer#7\n"
           "range @ main#1/step#2\n",
           1, std::nullopt),
      ElementsAre("c main/step/layer", "d main/step/layer", " main/step"));
}

TEST(KeepInstances, ARangeThatRanOnceIsKept) {
  EXPECT_THAT(Kept("kernel a @ prefill#1\n", 3, 1), ElementsAre("a prefill"));
}

TEST(SelectInstances, CountsWhatIsLeftOfEachRegion) {
  RegionSettings settings;
  settings.instances_skip = 1;
  settings.instances_count = 3;
  NcuOptions ncu;
  std::vector<RegionToMeasure> regions = {
      {.label = "once"}, {.label = "twice"}, {.label = "often"}};
  regions[0].instances = 1;
  regions[1].instances = 2;
  regions[2].instances = 9;
  Notes notes;
  ASSERT_TRUE(SelectInstances(settings, ncu, regions, notes).ok());
  EXPECT_EQ(ncu.range_filter, "::2|3|4");
  EXPECT_FALSE(regions[0].wanted);
  EXPECT_EQ(regions[1].instances, 1U);
  EXPECT_EQ(regions[2].instances, 3U);
  EXPECT_THAT(notes.all()[0].text,
              HasSubstr("4 of 12 instances of the wanted"));
  EXPECT_THAT(notes.all()[1].text, EndsWith("skipped whole: once"));
}

}  // namespace
}  // namespace rangefinder
