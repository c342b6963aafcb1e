#include "plan/instance_plan.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/region_plan.h"
#include "region/path.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(InstanceNumbers, AreAlternativesInNcusForm) {
  EXPECT_EQ(NumbersText({2, 3, 9}, 12), "2|3|9");
  EXPECT_EQ(NumbersText({1}, 1), "1");
}

TEST(InstanceNumbers, WithoutAnEndAreAnExpression) {
  for (const std::uint64_t skip : {0U, 1U, 8U, 9U, 10U, 98U, 99U, 123U, 199U}) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t n = skip + 1; n < 2500; ++n) all.push_back(n);
    const std::string text = NumbersText(all, 2499);
    EXPECT_LT(text.size(), 100U);
    const std::regex numbers(text);
    for (std::uint64_t n = 1; n < 2500; ++n) {
      EXPECT_EQ(std::regex_match(std::to_string(n), numbers), n > skip)
          << skip << " " << n;
    }
  }
}

InstanceWindow Window(std::uint64_t skip, std::optional<std::uint64_t> count) {
  return {.skip = skip, .count = count};
}

TEST(CountInstances, CountsTheInstancesOfEachRegion) {
  const Profile profile = testing::ProfileBuilder::Build(
      "kernel k @ once#1\n"
      "kernel k @ twice#2\nkernel k @ twice#3\n"
      "kernel k @ often#4\nkernel k @ often#5\nkernel k @ often#6\n"
      "kernel k @ often#7/inner#8\nkernel k @ often#7/inner#9\n"
      "kernel k @ often#10/inner#11\n");
  std::vector<RegionToMeasure> regions = {{.label = "once"},
                                          {.label = "twice"},
                                          {.label = "often"},
                                          {.label = "often/inner"}};
  Notes notes;
  CountInstances(Window(2, 2), profile, regions, notes);
  EXPECT_EQ(regions[0].instances, 1U);  // a region that ran once is kept
  EXPECT_TRUE(regions[0].wanted);
  EXPECT_FALSE(regions[1].wanted);
  EXPECT_EQ(regions[2].instances, 2U);
  // Those inside the chosen instances of `often`, and no others.
  EXPECT_EQ(regions[3].instances, 2U);
  EXPECT_THAT(notes.all()[0].text, HasSubstr("5 of 11 instances"));
  EXPECT_THAT(notes.all()[1].text, EndsWith("skipped whole: twice"));
}

// ncu numbers all ranges of a run, whichever expression they match.
CapturePlan Filtered(std::string_view drawn, std::vector<RangeVisits> visits,
                     Notes& notes) {
  Profile profile = testing::ProfileBuilder::Build(drawn);
  for (RangeVisits& row : visits) profile.visits.push_back(std::move(row));
  for (std::size_t i = 0; i < profile.measurements.size(); ++i)
    profile.measurements[i].launch_ns = 10 * (i + 1);
  CapturePlan plan;
  plan.runs = {{.mode = "range",
                .regions = {"step", "other"},
                .instances = 4,
                .region_instances = {2, 2}}};
  FilterRanges(Window(1, 2), profile, plan, notes);
  return plan;
}

constexpr std::string_view kSteps =
    "kernel k @ step#1\nkernel k @ step#2\nkernel k @ warm#3\n"
    "kernel k @ step#4\nkernel k @ other#5\nkernel k @ other#6\n"
    "kernel k @ other#7\nkernel k @ other#8\n";

RangeVisits Visits(std::uint32_t state, std::uint64_t instances) {
  return {.thread = 1,
          .nvtx = static_cast<NvtxStateId>(state),
          .instances = instances};
}

TEST(FilterRanges, NumbersRunOverAllRegionsOfARun) {
  Notes notes;
  const CapturePlan plan =
      Filtered(kSteps, {Visits(1, 3), Visits(5, 4)}, notes);
  EXPECT_EQ(plan.runs[0].range_filter, "::2|3|5|6");
  EXPECT_EQ(plan.runs[0].window, (InstanceWindow{.skip = 1, .count = 2}));
  EXPECT_EQ(plan.runs[0].instances, 4U);
  EXPECT_TRUE(notes.all().empty());
}

TEST(FilterRanges, IdleInstancesHaveNumbersToo) {
  Notes notes;
  RangeVisits steps = Visits(1, 4);
  // Launches are at 10, 20, ...: the idle one lies after the first two.
  steps.first = {{.ordinal = 0, .start_ns = 9, .span_ns = 1},
                 {.ordinal = 2, .start_ns = 25}};
  const CapturePlan plan = Filtered(kSteps, {steps, Visits(5, 4)}, notes);
  EXPECT_EQ(plan.runs[0].range_filter, "::2|4|6|7");
}

TEST(FilterRanges, WithoutNumbersAllAreMeasured) {
  Notes notes;
  // An instance of `step` launched nothing at an unknown time.
  const CapturePlan plan =
      Filtered(kSteps, {Visits(1, 4), Visits(5, 4)}, notes);
  EXPECT_EQ(plan.runs[0].range_filter, "");
  EXPECT_FALSE(plan.runs[0].window.has_value());
  EXPECT_EQ(plan.runs[0].instances, 7U);
  EXPECT_THAT(plan.runs[0].region_instances, ElementsAre(3, 4));
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].kind, "instances_in_report");

  // Two threads.
  const CapturePlan threads =
      Filtered("kernel k thread=1 @ step#1\nkernel k thread=2 @ step#2\n",
               {Visits(1, 2)}, notes);
  EXPECT_EQ(threads.runs[0].range_filter, "");
}

// The values of --launch-skip and --launch-count.
PlannedRun Launched(std::string_view drawn, std::uint64_t skip,
                    std::optional<std::uint64_t> count) {
  const Profile profile = testing::ProfileBuilder::Build(drawn);
  std::vector<const Measurement*> which;
  for (const Measurement& m : profile.measurements) which.push_back(&m);
  PlannedRun run;
  Notes notes;
  FilterLaunches(Window(skip, count), profile, which, run, notes);
  return run;
}

TEST(FilterLaunches, TakesConsecutiveLaunchesAlone) {
  const PlannedRun run = Launched(
      "kernel k @ step#1\nkernel k @ step#2\nkernel k @ step#2\n"
      "kernel k @ step#3\nkernel k @ step#4\n",
      1, 2);
  EXPECT_EQ(run.launch_skip, 1U);
  EXPECT_EQ(run.launch_count, 3U);
  EXPECT_EQ(run.window, (InstanceWindow{.skip = 1, .count = 2}));
}

TEST(FilterLaunches, TakesOtherLaunchesUpToTheLast) {
  const PlannedRun run = Launched(
      "kernel k @ step#1\nkernel k @ step#2\nkernel k @ step#3\n"
      "kernel k @ other#4\nkernel k @ other#5\nkernel k @ other#6\n",
      1, 1);
  EXPECT_EQ(run.launch_skip, 0U);
  EXPECT_EQ(run.launch_count, 5U);
  EXPECT_FALSE(run.window.has_value());
}

TEST(FilterLaunches, CutsNothingIfTheReportCouldNotSelect) {
  // Up to the last wanted launch, `rare` would have run once, and its only
  // instance would count as wanted.
  const PlannedRun run = Launched(
      "kernel k @ step#1\nkernel k @ step#2\nkernel k @ step#3\n"
      "kernel k @ rare#4\nkernel k @ step#5\nkernel k @ rare#6\n",
      2, 2);
  EXPECT_EQ(run.launch_count, 0U);
  EXPECT_EQ(run.launch_skip, 0U);
}

TEST(LaunchesAreInOrder, IfOneThreadLaunchesThem) {
  const NcuOptions ncu;
  const auto trace = [] {
    Profile profile =
        testing::ProfileBuilder::Build("kernel k @ A\nkernel k @ A\n");
    profile.measurements[0].api_call = 1;
    profile.measurements[1].api_call = 2;
    return profile;
  };
  EXPECT_TRUE(LaunchesAreInOrder(trace(), ncu));
  EXPECT_FALSE(LaunchesAreInOrder(Profile(), ncu));
  Profile profile = trace();
  profile.measurements[1].thread = 8;
  EXPECT_FALSE(LaunchesAreInOrder(profile, ncu));
  profile = trace();
  profile.measurements[1].device = 1;
  EXPECT_FALSE(LaunchesAreInOrder(profile, ncu));
  profile = trace();
  profile.measurements[1].api_call = 1;  // both are of one graph
  EXPECT_FALSE(LaunchesAreInOrder(profile, ncu));
  NcuOptions counted;
  counted.options["launch_skip"] = {"3"};
  EXPECT_FALSE(LaunchesAreInOrder(trace(), counted));
}

}  // namespace
}  // namespace rangefinder
