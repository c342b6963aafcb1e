#include "capture/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/ncu.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CaptureOptions OptionsIn(const std::string& mode) {
  CaptureOptions options;
  options.run_dir = "/run";
  options.program = {"./nested"};
  options.ncu.replay_mode = mode;
  return options;
}

// The regions of the bundled nested program.
std::vector<RegionToMeasure> Nested() {
  return {
      {.label = "A", .expressions = {"A/"}, .kernels = 6},
      {.label = "A/A::A1",
       .parent = 0,
       .expressions = {"A/*/A::A1/"},
       .kernels = 3},
      {.label = "B", .expressions = {"B/"}, .kernels = 2},
      {.label = "LLM@prefill", .expressions = {"LLM@prefill/"}, .kernels = 3},
      {.label = "LLM@prefill/LLM@attn",
       .parent = 3,
       .expressions = {"LLM@prefill/*/attn/"},
       .kernels = 2}};
}

TEST(Plan, KernelReplayTakesOneRun) {
  const CapturePlan plan = PlanCapture(OptionsIn("kernel"));

  ASSERT_EQ(plan.runs.size(), 1U);
  EXPECT_EQ(plan.runs[0].name, "run");
  // Any range of any domain, pushed or started.
  EXPECT_THAT(
      plan.runs[0].nvtx_include,
      ElementsAre("regex:.*@.+/", "regex:.*@.+", "regex:.+/", "regex:.+"));
}

TEST(Plan, UngatedCapturesEveryKernel) {
  CaptureOptions options = OptionsIn("kernel");
  options.ncu.gating_nvtx = false;
  options.ncu.nvtx_include = {"A/"};

  EXPECT_TRUE(PlanCapture(options).runs[0].nvtx_include.empty());
}

TEST(Plan, NestedRegionsTakeARunPerLevel) {
  const CapturePlan plan = PlanByLevel(OptionsIn("range"), Nested());

  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_THAT(plan.runs[0].nvtx_include,
              ElementsAre("A/", "B/", "LLM@prefill/"));
  EXPECT_THAT(plan.runs[1].nvtx_include,
              ElementsAre("A/*/A::A1/", "LLM@prefill/*/attn/"));
  EXPECT_NE(plan.runs[0].name, plan.runs[1].name);
  EXPECT_THAT(plan.runs[1].why, HasSubstr("A/A::A1"));
}

TEST(Plan, NoRunHoldsARegionAndItsAncestor) {
  // A deep tree with every other region wanted, and two branches.
  std::vector<RegionToMeasure> regions;
  for (std::size_t i = 0; i < 40; ++i) {
    RegionToMeasure region{.label = "r" + std::to_string(i),
                           .expressions = {"r" + std::to_string(i) + "/"}};
    if (i > 0) region.parent = i % 3 == 0 ? i / 3 : i - 1;
    region.wanted = i % 2 == 0;
    regions.push_back(region);
  }
  const CapturePlan plan = PlanByLevel(OptionsIn("app-range"), regions);

  std::size_t planned = 0;
  for (const PlannedRun& run : plan.runs) {
    planned += run.regions.size();
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (std::ranges::find(run.regions, regions[i].label) == run.regions.end())
        continue;
      for (auto up = regions[i].parent; up; up = regions[*up].parent) {
        EXPECT_EQ(std::ranges::find(run.regions, regions[*up].label),
                  run.regions.end())
            << regions[i].label << " inside " << regions[*up].label;
      }
    }
  }
  EXPECT_EQ(planned, 20U);
  // As many runs as the longest chain of wanted regions is long.
  std::size_t longest = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    std::size_t chain = regions[i].wanted ? 1 : 0;
    for (auto up = regions[i].parent; up; up = regions[*up].parent)
      chain += regions[*up].wanted ? 1 : 0;
    longest = std::max(longest, chain);
  }
  EXPECT_EQ(plan.runs.size(), longest);
}

TEST(Plan, AnUnwantedRegionCostsNoRun) {
  std::vector<RegionToMeasure> regions = Nested();
  regions[0].wanted = false;
  regions[3].wanted = false;

  const CapturePlan plan = PlanByLevel(OptionsIn("range"), regions);
  ASSERT_EQ(plan.runs.size(), 1U);
  EXPECT_EQ(plan.runs[0].name, "run");
  EXPECT_THAT(plan.runs[0].regions,
              ElementsAre("A/A::A1", "B", "LLM@prefill/LLM@attn"));
}

TEST(Plan, ARegionWithoutKernelsIsNotedAndNotMeasured) {
  std::vector<RegionToMeasure> regions = Nested();
  regions.push_back(
      {.label = "empty", .expressions = {"empty/"}, .kernels = 0});

  const CapturePlan plan = PlanByLevel(OptionsIn("range"), regions);
  for (const PlannedRun& run : plan.runs)
    EXPECT_THAT(run.nvtx_include,
                ::testing::Not(::testing::Contains("empty/")));
  ASSERT_EQ(plan.notes.all().size(), 1U);
  EXPECT_THAT(plan.notes.all()[0].text, HasSubstr("empty"));
}

TEST(Plan, WithoutWantedRegionsThereIsNoRun) {
  std::vector<RegionToMeasure> regions = Nested();
  for (RegionToMeasure& region : regions) region.wanted = false;
  EXPECT_TRUE(PlanByLevel(OptionsIn("range"), regions).runs.empty());
  EXPECT_TRUE(PlanByLevel(OptionsIn("app-range"), {}).runs.empty());
}

TEST(Plan, UnknownRangesAreOneRunAndAWarning) {
  CaptureOptions options = OptionsIn("range");
  options.ncu.nvtx_include = {"A/", "B/"};

  const CapturePlan plan = PlanCapture(options);
  ASSERT_EQ(plan.runs.size(), 1U);
  EXPECT_THAT(plan.runs[0].nvtx_include, ElementsAre("A/", "B/"));
  EXPECT_EQ(plan.notes.all()[0].kind, "nesting_unknown");
}

TEST(Plan, FallingBackToKernelReplayMakesOneRunOfAll) {
  const CapturePlan plan = PlanByLevel(OptionsIn("range"), Nested());

  const auto app = Replanned(plan.runs, "app-range");
  ASSERT_EQ(app.size(), 2U);
  EXPECT_EQ(app[1].mode, "app-range");
  EXPECT_NE(app[1].name, plan.runs[1].name);

  const auto kernel = Replanned(plan.runs, "kernel");
  ASSERT_EQ(kernel.size(), 1U);
  EXPECT_EQ(kernel[0].nvtx_include.size(), 5U);
}

TEST(Plan, DiscoveryMeasuresOnlyTimesWithoutAFilter) {
  CaptureOptions options = OptionsIn("range");
  options.ncu.set = "full";
  options.ncu.sections = {"SpeedOfLight"};
  options.ncu.nvtx_include = {"A/"};
  options.ncu.options = {{"launch_count", {"1"}}, {"devices", {"0"}}};

  const CaptureOptions discovery = DiscoveryOptions(options);
  EXPECT_EQ(discovery.ncu.replay_mode, "kernel");
  EXPECT_THAT(discovery.ncu.metrics, ElementsAre("gpu__time_duration.sum"));
  EXPECT_FALSE(discovery.ncu.set.has_value());
  EXPECT_TRUE(discovery.ncu.sections.empty());
  EXPECT_EQ(discovery.ncu.options.size(), 1U);
  EXPECT_TRUE(PlanCapture(discovery).runs[0].nvtx_include.empty());
}

TEST(Plan, TheTextHasCommandsThatCanBeTyped) {
  CaptureOptions options = OptionsIn("range");
  options.program = {"./nested", "it's"};

  const std::string text = PlanText(options, PlanByLevel(options, Nested()));
  EXPECT_THAT(text, HasSubstr("2 runs of ncu"));
  EXPECT_THAT(text, HasSubstr("--nvtx-include 'A/*/A::A1/' --nvtx-include"));
  EXPECT_THAT(text, HasSubstr("./nested 'it'\\''s'\n"));
}

}  // namespace
}  // namespace rangefinder
