#include "plan/budget_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

TEST(BudgetPlan, EveryKernelIsALaunchInItsRegion) {
  const Profile profile = testing::ProfileBuilder::Build(
      "kernel saxpy gpu__time_duration.sum=1500 @ A/A::A1\n"
      "range gpu__time_duration.sum=9000 @ A\n"
      "kernel burn @ LLM@prefill\n");

  const std::vector<Launch> launches = SelectedLaunches(profile, {}, {});
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].region, "A/A::A1");
  EXPECT_EQ(launches[0].kernel, "saxpy");
  EXPECT_EQ(launches[0].gpu_ns, 1500);
  EXPECT_EQ(launches[1].region, "LLM@prefill");
}

// For ncu, launches with more shared memory are another configuration.
TEST(BudgetPlan, SharedMemoryDistinguishesLaunches) {
  Profile profile = testing::ProfileBuilder::Build(
      "kernel conv @ A\nkernel conv @ A\n"
      "kernel conv launch__shared_mem_per_block_dynamic=1152 @ A\n");
  profile.measurements[1].dynamic_shared = 108;
  std::vector<Launch> launches = SelectedLaunches(profile, {}, {});
  EXPECT_THAT(launches[0].config, EndsWith("+0"));
  EXPECT_THAT(launches[1].config, EndsWith("+108"));
  EXPECT_THAT(launches[2].config, EndsWith("+1152"));
  for (Launch& launch : launches) launch.number = 0;
  EXPECT_EQ(FitBudget(launches, 1, 0.001).measured, 3U);
}

// Traces are in the order of execution.
TEST(BudgetPlan, LaunchesAreInTheOrderOfLaunch) {
  Profile profile =
      testing::ProfileBuilder::Build("kernel k @ B\nkernel k @ A\n");
  profile.measurements[0].launch_ns = 30;
  profile.measurements[1].launch_ns = 10;
  const auto launches = SelectedLaunches(profile, {}, {});
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].region, "A");
}

std::vector<std::string> Selected(const NcuOptions& ncu,
                                  std::vector<std::string> include = {}) {
  const Profile profile = testing::ProfileBuilder::Build(
      "kernel saxpy @ A\n"
      "kernel ncclDevKernel_AllReduce @ A\n"
      "kernel burn @ B\n"
      "kernel saxpy\n"
      "kernel saxpy @ LLM@prefill\n");
  std::vector<std::string> names;
  for (const Launch& launch :
       SelectedLaunches(profile, ncu, {.nvtx_include = std::move(include)}))
    names.push_back(launch.kernel + " " + launch.region);
  return names;
}

TEST(BudgetPlan, OnlySelectedLaunchesCost) {
  NcuOptions ncu;
  EXPECT_EQ(Selected(ncu).size(), 5U);
  EXPECT_THAT(
      Selected(ncu, {"A/", "regex:LLM@.*/"}),
      ElementsAre("saxpy A", "ncclDevKernel_AllReduce A", "saxpy LLM@prefill"));
  ncu.exclude_communication = true;
  EXPECT_THAT(Selected(ncu, {"A/"}), ElementsAre("saxpy A"));
  ncu.options["kernel_name"] = {"regex:^burn"};
  ncu.options["kernel_name_base"] = {"demangled"};
  EXPECT_THAT(Selected(ncu), ElementsAre("burn B"));
  ncu.options = {{"launch_skip", {"1"}}, {"launch_count", {"2"}}};
  EXPECT_THAT(Selected(ncu), ElementsAre("burn B", "saxpy "));
  ncu.options["filter_mode"] = {"per-launch-config"};
  EXPECT_THAT(Selected(ncu), ElementsAre("saxpy ", "saxpy LLM@prefill"));
}

TEST(BudgetPlan, AppRangeRunsTheProgramOnceAPass) {
  NcuOptions ncu;
  ncu.metrics = {"sm__throughput.avg.pct_of_peak_sustained_elapsed"};
  CapturePlan plan;
  plan.runs = {{.mode = "app-range", .instances = 6}};
  const auto forecast = ForecastOf(plan, ncu, {}, 10);
  ASSERT_TRUE(forecast.has_value());
  EXPECT_EQ(forecast->unit, "range");
  EXPECT_EQ(forecast->units, 6U);
  EXPECT_EQ(forecast->passes, 8);
  EXPECT_NEAR(forecast->seconds, 83, 0.1);
}

TEST(BudgetPlan, ApplicationReplayCannotBeCutByLaunches) {
  NcuOptions ncu;
  CapturePlan plan;
  plan.runs = {{.mode = "application"}};
  Notes notes;
  CutToBudget(5, std::vector<Launch>(3), 100, ncu, plan, notes);
  EXPECT_FALSE(plan.groundwork.budget.has_value());
  EXPECT_TRUE(ncu.options.empty());
  EXPECT_EQ(notes.all().size(), 1U);
}

TEST(BudgetPlan, ABudgetDoesNotChangeAChoiceOfLaunches) {
  NcuOptions ncu;
  ncu.options["launch_count"] = {"7"};
  CapturePlan plan;
  plan.runs = {{}};
  Notes notes;
  CutToBudget(5, std::vector<Launch>(300), 1, ncu, plan, notes);
  EXPECT_EQ(ncu.options.size(), 1U);
  EXPECT_FALSE(plan.groundwork.budget.has_value());
  EXPECT_EQ(notes.all().size(), 1U);
}

// A trace has no metrics, but the start and the end of each kernel.
TEST(BudgetPlan, WithoutTheMetricTheTimeIsFromStartToEnd) {
  Profile profile =
      testing::ProfileBuilder::Build("kernel k @ A\nkernel k @ A\n");
  profile.measurements[0].start_ns = 100;
  profile.measurements[0].end_ns = 350;
  const auto launches = SelectedLaunches(profile, {}, {});
  EXPECT_EQ(launches[0].gpu_ns, 250);
  EXPECT_EQ(launches[1].gpu_ns, 0);  // unknown
}

TEST(BudgetPlan, RangesLeftOutAreCountedAndNamed) {
  CapturePlan plan;
  plan.runs = {{.mode = "range", .regions = {"A"}, .instances = 1},
               {.mode = "range", .regions = {"A/B"}, .instances = 2},
               {.mode = "range", .regions = {"A/B/C"}, .instances = 4}};
  NcuOptions ncu;
  Notes notes;
  CutToBudget(0.001, {}, 1, ncu, plan, notes);
  ASSERT_EQ(plan.runs.size(), 1U);
  const BudgetRecord& budget = *plan.groundwork.budget;
  EXPECT_EQ(budget.fitted.measured, 1U);
  EXPECT_EQ(budget.fitted.total, 7U);
  EXPECT_FALSE(budget.fitted.fits);
  EXPECT_THAT(budget.left_out, ElementsAre("A/B", "A/B/C"));
}

}  // namespace
}  // namespace rangefinder
