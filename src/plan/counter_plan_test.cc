// Which counters a run samples: the sets of the shipped presets on each family
// of chips, by the CUPTI that is installed. No GPU is needed.

#include "plan/counter_plan.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/cupti_library.h"
#include "profile/metric_facts.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Sets as the shipped preset has them, with fewer metrics.
CounterSettings TwoFamilies() {
  return {
      .sets = {{.name = "hopper",
                .metrics = {"sm__inst_executed.sum",
                            "TPC.TriageCompute.tpc__warps_active_realtime.sum",
                            "SM_A.TriageCompute."
                            "sm__thread_inst_executed_pred_on_realtime.sum"}},
               {.name = "any",
                .metrics = {"sm__inst_executed.sum", "dram__bytes_read.sum"}}},
      .optional = {
          "NVLTX.TriageCompute.nvltx__bytes_packet_request_data_user.sum"}};
}

// "counters + optional every us" or the error.
std::string Draw(const Result<SamplingPlan>& plan) {
  if (!plan.ok()) return plan.error().message();
  std::string text;
  for (const auto& set : plan.value().sets)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", set.size());
  return fmt::format("{} + {} every {}", text, plan.value().optional.size(),
                     plan.value().interval_ns / 1000);
}

class CounterPlanOfChip : public ::testing::Test {
 protected:
  void SetUp() override {
    auto library = CuptiLibrary::Open();
    if (!library.ok() || !library.value().Has<cupti::HostInitialize>())
      GTEST_SKIP() << "no CUPTI: PLANS FOR CHIPS ARE NOT TESTED";
    library_ = std::make_unique<CuptiLibrary>(std::move(library).value());
  }
  Result<SamplingPlan> Plan(const CounterSettings& settings,
                            std::string_view chip) {
    const auto host = CounterHost::Open(*library_, chip, CounterMode::kSample);
    EXPECT_TRUE(host.ok()) << chip;
    return PlanSamplingOn(settings, &host.value());
  }
  std::unique_ptr<CuptiLibrary> library_;
};

TEST_F(CounterPlanOfChip, TakesTheFirstSetThatTheChipHasInOnePass) {
  EXPECT_EQ(Draw(Plan(TwoFamilies(), "GH100")), "3 + 1 every 200");
  // GB100 has no counter of threads per instruction of this name.
  EXPECT_EQ(Draw(Plan(TwoFamilies(), "GB100")), "2 + 1 every 200");
  // AD102 has no NVLink.
  EXPECT_EQ(Draw(Plan(TwoFamilies(), "AD102")), "2 + 0 every 200");
}

TEST_F(CounterPlanOfChip, MetricsAndIntervalOfTheUserWin) {
  CounterSettings settings = TwoFamilies();
  settings.metrics = {"lts__t_sectors.sum"};
  settings.interval_us = 70;
  const auto plan = Plan(settings, "GH100");
  EXPECT_EQ(Draw(plan), "1 + 0 every 70");
  EXPECT_THAT(plan.value().sets.front(), ElementsAre("lts__t_sectors.sum"));
}

TEST_F(CounterPlanOfChip, TheLastSetMayTakeSeveralRuns) {
  CounterSettings settings = TwoFamilies();
  settings.sets.back().metrics = {
      "sm__inst_executed.sum", "dram__bytes_read.sum",
      "dram__bytes_write.sum", "sm__cycles_active.avg",
      "lts__t_sectors.sum",    "sm__pipe_tensor_cycles_active.avg"};
  const auto plan = Plan(settings, "GA100");
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_EQ(plan.value().sets.size(), 2U);
  EXPECT_THAT(plan.value().optional, IsEmpty());
}

TEST_F(CounterPlanOfChip, ASetThatNeedsTwoPassesIsNotTaken) {
  CounterSettings settings = TwoFamilies();
  settings.sets.front().metrics.emplace_back("sm__warps_active.sum");
  EXPECT_EQ(Draw(Plan(settings, "GH100")), "2 + 1 every 200");
}

TEST(CounterPlan, AnUnknownChipGetsTheLastSet) {
  EXPECT_EQ(Draw(PlanSamplingOn(TwoFamilies(), nullptr)), "2 + 0 every 200");
  EXPECT_THAT(MetricsToCount(TwoFamilies()).value().metrics,
              ElementsAre("sm__inst_executed.sum", "dram__bytes_read.sum"));
}

TEST(CounterPlan, MoreCountersTakeLongerIntervals) {
  CounterSettings settings;
  const auto interval = [&](int counters) {
    settings.metrics.clear();
    for (int i = 0; i < counters; ++i)
      settings.metrics.push_back(fmt::format("a__b{}.sum", i));
    return PlanSamplingOn(settings, nullptr).value().interval_ns / 1000;
  };
  EXPECT_EQ(interval(6), 200U);
  EXPECT_EQ(interval(12), 200U);
  EXPECT_EQ(interval(13), 400U);
  EXPECT_EQ(interval(23), 400U);
  settings.interval_us = 50;
  EXPECT_EQ(interval(23), 50U);
}

TEST(CounterPlan, CountersOfInstructionsAreSampledAsSums) {
  CounterSettings settings{.metrics = {"sm__inst_executed_pipe_lsu.sum"}};
  EXPECT_TRUE(PlanSamplingOn(settings, nullptr).ok());
  settings.metrics = {"sm__inst_executed_pipe_lsu.avg"};
  EXPECT_THAT(Draw(PlanSamplingOn(settings, nullptr)),
              HasSubstr("instructions are sampled as .sum"));
  settings.metrics = {"sm__inst_executed.avg.per_cycle_active"};
  EXPECT_THAT(Draw(PlanSamplingOn(settings, nullptr)),
              HasSubstr("names end in .sum or .avg"));
}

TEST(CounterPlan, ShortRunsAreCountedByTheirOwnInterval) {
  Profile sampled;
  Measurement kernel{};
  kernel.start_ns = 0;
  kernel.end_ns = 15'000'000;
  sampled.measurements.push_back(kernel);
  CounterSamples samples;
  samples.started_ns = 1;
  samples.interval_ns = 400'000;
  sampled.counter_samples.push_back(samples);
  EXPECT_THAT(WhyToCount({}, sampled).value_or(""),
              HasSubstr("too short for samples every 400 µs"));
  sampled.counter_samples.front().interval_ns = 200'000;
  EXPECT_EQ(WhyToCount({}, sampled), std::nullopt);
}

}  // namespace
}  // namespace rangefinder
