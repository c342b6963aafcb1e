#include "plan/region_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "region/merged_names.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

// A line a region.
std::string Draw(const Profile& profile, const NcuSettings& ncu = {}) {
  const auto regions = PlannableRegions(profile, ncu);
  if (!regions.ok()) return regions.error().message();
  std::string text;
  for (const RegionToMeasure& region : regions.value()) {
    text += fmt::format("{}{} {}k x{}", region.wanted ? "" : "not ",
                        region.label, region.kernels, region.instances);
    if (region.parent)
      text += fmt::format(" in {}", regions.value()[*region.parent].label);
    if (region.seconds > 0) text += fmt::format(" {} s", region.seconds);
    text += fmt::format(" {}\n", fmt::join(region.expressions, " "));
  }
  return text;
}

TEST(PlannableRegions, AreParentsFirstWithInclusiveLaunches) {
  EXPECT_EQ(Draw(testing::ProfileBuilder::Build("kernel k @ A#1\n"
                                                "kernel k @ A#1/B#2\n"
                                                "kernel k @ A#3/B#4\n"
                                                "kernel outside\n")),
            "A 3k x2 [A/\n"
            "A/B 2k x2 in A [A/B/\n");
}

TEST(PlannableRegions, RegionsWithoutAPatternAreNotWanted) {
  EXPECT_EQ(Draw(testing::ProfileBuilder::Build("kernel k @ A#1\n"
                                                "kernel k @ B#2\n"),
                 {{.nvtx_include = {"B"}}}),
            "not A 1k x1 [A/\n"
            "B 1k x1 [B/\n");
}

TEST(PlannableRegions, ATraceGivesInstancesAndTimes) {
  Profile profile = testing::ProfileBuilder::Build("kernel k @ A#1\n");
  RangeVisits visits{.process = profile.measurements[0].process,
                     .thread = profile.measurements[0].thread,
                     .nvtx = profile.measurements[0].nvtx,
                     .instances = 3};
  visits.cpu_ns.Add(1'000'000'000);
  visits.cpu_ns.Add(2'000'000'000);
  profile.visits.push_back(visits);
  EXPECT_EQ(Draw(profile), "A 1k x3 1.5 s [A/\n");
}

// A loop of nine steps with a region inside, and two kernels in each.
Profile Loop() {
  std::string program;
  for (int i = 0; i < 9; ++i) {
    program +=
        fmt::format("kernel k @ step {0}#{0}\nkernel k @ step {0}#{0}/in#{1}\n",
                    i, 100 + i);
  }
  Profile profile = testing::ProfileBuilder::Build(program);
  MergeNames(NameMerging(), profile);
  return profile;
}

TEST(PlannableRegions, OfMergedRangesRequestTheGivenNames) {
  EXPECT_EQ(Draw(Loop()),
            "step * 18k x9 regex:[^step [0-9]+$/\n"
            "step */in 9k x9 in step * regex:[^step [0-9]+$/^in$/\n");
}

TEST(PlannableRegions, OfMergedRangesMayBeSelectedSingly) {
  EXPECT_EQ(Draw(Loop(), {{.nvtx_include = {"step [37]"}}}),
            "step * 4k x2 [step 3/ [step 7/\n"
            "not step */in 9k x9 in step * regex:[^step [0-9]+$/^in$/\n");
  EXPECT_EQ(Draw(Loop(), {{.nvtx_include = {"step \\*"}}}),
            "step * 18k x9 regex:[^step [0-9]+$/\n"
            "not step */in 9k x9 in step * regex:[^step [0-9]+$/^in$/\n");
}

}  // namespace
}  // namespace rangefinder
