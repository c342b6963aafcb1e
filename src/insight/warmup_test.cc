#include "insight/warmup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::HasSubstr;

// A region that ran for `cpu_us`, one after the other, in one process.
struct Ran {
  explicit Ran(const std::vector<std::uint64_t>& cpu_us) {
    RangeVisits visits;
    for (const std::uint64_t us : cpu_us) {
      InstanceTimes one{.ordinal = visits.instances,
                        .start_ns = 1000 * ++visits.instances,
                        .cpu_ns = us * 1000,
                        .closed = true,
                        .gpu_ns = 500,
                        .span_ns = 500};
      visits.cpu_ns.Add(one.cpu_ns);
      visits.gpu_ns.Add(one.gpu_ns);
      if (visits.first.size() < RangeVisits::kFirst)
        visits.first.push_back(one);
    }
    profile.visits.push_back(visits);
    region.visits.push_back(0);
  }
  std::optional<Warmup> Of(std::string_view rule) const {
    return WarmupOf(profile, region, Scope{}, ParseWarmup(rule).value());
  }

  Profile profile{};
  Region region{};
};

TEST(Warmup, OutliersAtTheBeginningAreSetApart) {
  const Ran ran({5000, 900, 100, 100, 100, 100, 100, 100});
  const auto warmup = ran.Of("auto");
  ASSERT_TRUE(warmup.has_value());
  EXPECT_EQ(warmup->instances, 2U);
  EXPECT_EQ(warmup->cpu_ns, 5'900'000U);
  EXPECT_EQ(warmup->gpu_ns, 1000U);
  EXPECT_EQ(warmup->steady, 6U);
  EXPECT_EQ(warmup->steady_cpu_ns, 100'000);
  EXPECT_EQ(warmup->steady_gpu_ns, 500);
}

TEST(Warmup, UsualLaterOrUnnoticeableTimesAreNoWarmup) {
  EXPECT_FALSE(Ran({100, 5000, 100, 100, 100}).Of("auto"));
  EXPECT_FALSE(Ran({120, 100, 110, 100}).Of("auto"));
  EXPECT_FALSE(Ran({50, 2, 2, 2, 2, 2}).Of("auto"));  // 48 µs
  EXPECT_FALSE(Ran({5000, 100, 100}).Of("auto"));     // too few
  EXPECT_FALSE(Ran({5000, 100, 100, 100}).Of("off"));
}

TEST(Warmup, EndsByTotalCostAndNotAtTheFirstUsualInstance) {
  std::vector<std::uint64_t> cpu_us(40, 100);
  cpu_us[0] = 9000;
  cpu_us[2] = cpu_us[3] = 240;  // below five times the median
  const auto warmup = Ran(cpu_us).Of("auto");
  ASSERT_TRUE(warmup.has_value());
  EXPECT_EQ(warmup->instances, 4U);
  EXPECT_EQ(warmup->steady_cpu_ns, 100'000);
}

TEST(Warmup, RecurringLongInstancesAreNoWarmup) {
  std::vector<std::uint64_t> cpu_us(40, 100);
  for (const std::size_t at : {0, 10, 20, 30}) cpu_us[at] = 5000;
  EXPECT_FALSE(Ran(cpu_us).Of("auto"));
  // The mean of the others is below three of their medians.
  for (std::size_t at = 0; at < cpu_us.size(); at += 10) cpu_us[at] = 2000;
  EXPECT_FALSE(Ran(cpu_us).Of("auto"));
  cpu_us[0] = 9000;
  EXPECT_TRUE(Ran(cpu_us).Of("auto"));
  // A single long instance later on hides no warm-up.
  cpu_us.assign(1000, 100);
  cpu_us[0] = 5000;
  cpu_us[500] = 50000;
  EXPECT_TRUE(Ran(cpu_us).Of("auto"));
}

TEST(Warmup, ANumberAppliesToEachProcessAndLeavesOneInstance) {
  Ran ran({400, 300, 200, 100});
  EXPECT_EQ(ran.Of("3")->steady_cpu_ns, 100'000);
  EXPECT_EQ(ran.Of("7")->instances, 3U);
  RangeVisits other = ran.profile.visits[0];
  other.process = ProcessId{1};
  ran.profile.visits.push_back(other);
  ran.region.visits.push_back(1);
  EXPECT_EQ(ran.Of("1")->instances, 2U);
  EXPECT_EQ(ran.Of("1")->steady_cpu_ns, 200'000);
}

TEST(Warmup, ARuleIsAWordOrANumber) {
  EXPECT_EQ(ParseWarmup("0").value().kind, WarmupRule::Kind::kOff);
  EXPECT_EQ(ParseWarmup("12").value().count, 12U);
  for (const char* text : {"on", "-1", "65", "3x", ""})
    EXPECT_THAT(ParseWarmup(text).error().message(), HasSubstr("auto, off"));
}

TEST(Warmup, IsNotedOnce) {
  const Ran ran({5000, 100, 100, 100, 100});
  RegionTree tree;
  const RegionId id = tree.FindOrAdd(RegionTree::kRoot, Frame{});
  tree[id].visits.push_back(0);
  Notes notes;
  NoteWarmup(ran.profile, tree, ParseWarmup("auto").value(), notes);
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_THAT(notes.all()[0].text,
              HasSubstr("the first instances of a region took longer"));
}

}  // namespace
}  // namespace rangefinder
