#include "estimate/groups.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

// Two launches of one kernel an instance, of the lengths given.
std::vector<SampledLaunch> Instances(std::uint32_t count,
                                     std::vector<std::int64_t> lengths) {
  std::vector<SampledLaunch> launches;
  std::int64_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t ordinal = 0; ordinal < lengths.size(); ++ordinal) {
      const std::int64_t length = lengths[ordinal] + i % 5 * 10;
      launches.push_back({.start_ns = at,
                          .end_ns = at + length,
                          .ordinal = ordinal,
                          .instance = i});
      at += length;
    }
  }
  return launches;
}

// "0: 1 2 | 0 3": the group, and its classes of ordinals; "0.2" is the second
// mode of the durations of the first.
std::string Drawn(const std::vector<GroupSplit>& splits) {
  std::string drawn;
  for (const GroupSplit& split : splits) {
    drawn += fmt::format("{}:", split.group);
    for (std::size_t c = 0; c < split.classes.size(); ++c) {
      if (c > 0) drawn += " |";
      for (const LaunchKind kind : split.classes[c]) {
        drawn += fmt::format(" {}", kind.ordinal);
        if (kind.mode > 0) drawn += fmt::format(".{}", kind.mode);
      }
    }
  }
  return drawn;
}

std::string SplitsOf(const std::vector<SampledLaunch>& launches) {
  return Drawn(FindSplits(launches, GroupCoarsely(launches)));
}

TEST(Groups, AreOnePerRegionKernelShapeAndMode) {
  std::vector<SampledLaunch> launches = {{.end_ns = 10},
                                         {.end_ns = 10, .region = 1},
                                         {.end_ns = 20, .ordinal = 7},
                                         {.end_ns = 10, .mode = 1},
                                         {.start_ns = 5, .end_ns = 5}};
  const Grouping grouping = GroupCoarsely(launches);
  EXPECT_EQ(fmt::format("{}", fmt::join(grouping.group, " ")),
            fmt::format("0 1 0 2 {}", CounterFit::kNoGroup));
  EXPECT_EQ(grouping.groups[0].launches, 2U);
  EXPECT_EQ(grouping.groups[0].busy_ns, 30);
}

TEST(Groups, MayBeSplitWhereDurationsDependOnOrdinals) {
  EXPECT_EQ(SplitsOf(Instances(20, {1000, 2000})), "0: 0 | 1");
  EXPECT_EQ(SplitsOf(Instances(20, {4000, 1000, 1010, 4040})), "0: 1 2 | 0 3");
  EXPECT_EQ(SplitsOf(Instances(20, {1000, 2000, 4000})), "0: 0 | 1 | 2");
}

TEST(Groups, AreNotSplitWhereLaunchesAreAlikeOrFew) {
  EXPECT_EQ(SplitsOf(Instances(20, {1000, 1040})), "");
  EXPECT_EQ(SplitsOf(Instances(7, {1000, 2000})), "");
}

std::string LaunchesByLength(const std::vector<SampledLaunch>& launches) {
  std::string drawn;
  for (const FitGroup& group :
       SplitByLength(launches, GroupCoarsely(launches)).groups)
    drawn += fmt::format("{} ", group.launches);
  return drawn;
}

TEST(Groups, AreSplitByLengthWhereFewLaunchesLastMuchLonger) {
  EXPECT_EQ(LaunchesByLength(
                Instances(1, {12'000, 88'000, 12'500, 24'500, 13'000, 87'000})),
            "3 1 2 ");
  EXPECT_EQ(LaunchesByLength(Instances(7, {12'000, 24'000})), "7 7 ");
}

TEST(Groups, AreNotSplitByLengthWhereLaunchesRepeatOrAreShortOrMany) {
  EXPECT_EQ(LaunchesByLength(Instances(8, {12'000, 24'000})), "16 ");
  EXPECT_EQ(LaunchesByLength(Instances(1, {2000, 9000, 2100})), "3 ");
  EXPECT_EQ(LaunchesByLength(Instances(1, {12'000, 17'000, 24'000})), "3 ");
  std::vector<std::int64_t> many(100, 12'000);
  many.push_back(30'000);
  EXPECT_EQ(LaunchesByLength(Instances(1, many)), "101 ");
}

TEST(Groups, MayBeSplitWhereDurationsDependOnInstances) {
  std::vector<SampledLaunch> launches = Instances(40, {1000, 1000, 1900});
  for (SampledLaunch& launch : launches) {
    if (launch.instance % 2 == 0 && launch.ordinal < 2) launch.end_ns += 1000;
  }
  EXPECT_EQ(SplitsOf(launches), "0: 0.1 1.1 | 0.2 1.2 2");
  const Grouping coarse = GroupCoarsely(launches);
  const Grouping fine = Split(launches, coarse, FindSplits(launches, coarse));
  ASSERT_EQ(fine.groups.size(), 2U);
  for (std::size_t l = 0; l < launches.size(); ++l) {
    const std::int64_t length = launches[l].end_ns - launches[l].start_ns;
    EXPECT_EQ(fine.group[l], length < 1500 ? 0U : 1U) << l;
  }
}

// Other kernels that run at the same time can make a launch last as long as the
// launches of another place.
TEST(Groups, AreNotSplitWhereFewLaunchesOfAPlaceAreSlow) {
  std::vector<SampledLaunch> launches = Instances(1000, {1000, 2000});
  for (SampledLaunch& launch : launches) {
    if (launch.instance % 60 == 0 && launch.ordinal == 0) launch.end_ns += 950;
  }
  EXPECT_EQ(SplitsOf(launches), "0: 0 | 1");
}

// Neighbouring durations are close, but their scatter is large.
TEST(Groups, MayBeSplitWhereDurationsAreSpreadEvenly) {
  std::vector<SampledLaunch> launches = Instances(1000, {1000});
  for (SampledLaunch& launch : launches)
    launch.end_ns += launch.instance * 389 % 1000;
  EXPECT_EQ(SplitsOf(launches), "0: 0.1 | 0.2 | 0.3 | 0.4");
}

TEST(Groups, AreSplitWhereTheyAreBusiest) {
  std::vector<SampledLaunch> launches;
  for (std::uint32_t region = 0; region < 400; ++region) {
    for (SampledLaunch launch : Instances(20, {1000 + region, 3000})) {
      launch.region = region;
      launches.push_back(launch);
    }
  }
  const auto splits = FindSplits(launches, GroupCoarsely(launches));
  ASSERT_EQ(splits.size(), 100U);
  EXPECT_EQ(splits.front().group, 300U);
  EXPECT_EQ(splits.back().group, 399U);
}

TEST(Groups, KeepEveryLaunchWhenSplit) {
  const std::vector<SampledLaunch> launches = Instances(20, {4000, 1000, 1010});
  const Grouping coarse = GroupCoarsely(launches);
  const Grouping fine = Split(launches, coarse, FindSplits(launches, coarse));
  ASSERT_EQ(fine.groups.size(), 2U);
  EXPECT_EQ(fine.groups[0].launches, 40U);
  EXPECT_EQ(fine.groups[1].launches, 20U);
  EXPECT_EQ(fine.groups[0].busy_ns + fine.groups[1].busy_ns,
            coarse.groups[0].busy_ns);
  EXPECT_EQ(fine.group[0], 1U);
  EXPECT_EQ(fine.group[1], 0U);
}

}  // namespace
}  // namespace rangefinder
