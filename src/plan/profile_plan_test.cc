// Planning as a whole: from the settings and the known program to the runs.

#include "plan/profile_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/ncu_request.h"
#include "profile/range_depth.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A line a run, then the forecast and the kinds of the notes.
std::string Draw(const CapturePlan& plan) {
  std::string text;
  for (const PlannedRun& run : plan.runs) {
    text += fmt::format("{} {} of [{}] in [{}] x{}", run.name, run.mode,
                        fmt::join(run.nvtx_include, " "),
                        fmt::join(run.regions, " "), run.instances);
    if (run.launch_count > 0)
      text += fmt::format(" launches {}+{}", run.launch_skip, run.launch_count);
    if (!run.range_filter.empty()) text += " ranges " + run.range_filter;
    if (!run.launch_numbers.empty())
      text += fmt::format(" numbers {}", fmt::join(run.launch_numbers, "|"));
    text += "\n";
  }
  if (const auto& forecast = plan.groundwork.forecast)
    text += fmt::format("{} {}s\n", forecast->units, forecast->unit);
  for (const Note& note : plan.notes.all()) text += "note " + note.kind + "\n";
  return text;
}

// Requests one metric only.
NcuSettings Asked(std::string mode, std::vector<std::string> include = {}) {
  NcuSettings ncu;
  ncu.replay_mode = std::move(mode);
  ncu.nvtx_include = std::move(include);
  ncu.metrics = {"smsp__inst_executed.sum"};
  ncu.exact_rollup = false;
  return ncu;
}

// The plan for `asked` of a known program, `drawn`; empty: an unknown program.
std::string Planned(const NcuSettings& asked, std::string_view drawn,
                    const InstanceWindow& instances = {}) {
  Notes notes;
  CaptureOptions options;
  options.ncu = NcuOptionsFor(asked, {}, notes).value();
  KnownProgram known;
  if (!drawn.empty()) known.profile = testing::ProfileBuilder::Build(drawn);
  const auto plan =
      MakeProfilePlan({.ncu = asked, .instances = instances}, known, options);
  return plan.ok() ? Draw(plan.value()) : plan.error().message();
}

constexpr std::string_view kNested =
    "kernel k @ A#1\n"
    "kernel k @ A#1/A1#2\n"
    "kernel k @ B#3\n";

TEST(ProfilePlan, AnUnknownProgramIsOneRun) {
  EXPECT_EQ(Planned(Asked("kernel"), ""),
            "run kernel of [regex:.*@.*/ regex:.*@.*] in [] x0\n");
}

TEST(ProfilePlan, KernelReplayIsOneRunWithAllPatterns) {
  EXPECT_EQ(Planned(Asked("kernel", {"A"}), kNested),
            Planned(Asked("kernel", {"A"}), "") + "2 kernels\n");
}

TEST(ProfilePlan, RangeReplayIsARunPerLevel) {
  const std::string plan = Planned(Asked("range"), kNested);
  EXPECT_THAT(plan, HasSubstr("in [A B] x2\n"));
  EXPECT_THAT(plan, HasSubstr("in [A/A1] x1\n"));
  EXPECT_THAT(plan, HasSubstr("\n3 ranges\n"));
}

TEST(ProfilePlan, PatternsWithoutARegionMeasureNothing) {
  for (const char* mode : {"kernel", "application", "range", "app-range"}) {
    EXPECT_EQ(Planned(Asked(mode, {"nosuch*"}), kNested),
              "note include_matches_nothing\nnote no_matching_regions\n")
        << mode;
    EXPECT_EQ(Planned(Asked(mode), "kernel k\n"), "note no_matching_regions\n")
        << mode;
    EXPECT_THAT(Planned(Asked(mode, {"B"}), kNested),
                Not(HasSubstr("include_matches_nothing")))
        << mode;
  }
}

TEST(ProfilePlan, OneOfSeveralPatternsWithoutARegionIsNoted) {
  const std::string plan = Planned(Asked("range", {"B;nosuch*"}), kNested);
  EXPECT_THAT(plan, HasSubstr("in [B] x1\n1 ranges\n"));
  EXPECT_THAT(plan, HasSubstr("note include_matches_nothing"));
  EXPECT_THAT(plan, Not(HasSubstr("no_matching_regions")));
}

TEST(ProfilePlan, NativeExpressionsGoToNcuAsTheyAreInRangeModesToo) {
  NcuSettings asked = Asked("range", {"nosuch/"});
  asked.nvtx_native = true;
  EXPECT_EQ(Planned(asked, kNested),
            "run range of [nosuch/] in [] x0\nnote nesting_unknown\n");
}

TEST(ProfilePlan, KernelsCannotBeChosenInRangesMeasuredAsAWhole) {
  const auto chosen = [](const char* mode) {
    const NcuSettings asked = Asked(mode);
    CaptureOptions options;
    const auto plan = MakeProfilePlan({.ncu = asked,
                                       .instances = {},
                                       .selection = {.kernels_include = {"k"}}},
                                      {}, options);
    return plan.ok() ? Draw(plan.value()) : plan.error().message();
  };
  for (const char* mode : {"range", "app-range"}) {
    EXPECT_THAT(chosen(mode),
                AllOf(HasSubstr("regions.kernels has no effect in "),
                      HasSubstr("app-range"), HasSubstr("replay_mode=kernel")));
  }
  EXPECT_THAT(chosen("kernel"), HasSubstr("run kernel"));
}

TEST(ProfilePlan, SignaturesAreLeftToNcu) {
  NcuSettings asked = Asked("kernel");
  asked.options["kernel_name"] = {"k(int, float *)"};
  asked.options["kernel_name_base"] = {"demangled"};
  const std::string plan = Planned(asked, kNested);
  EXPECT_THAT(plan, HasSubstr("run kernel"));
  EXPECT_THAT(plan, HasSubstr("note kernel_matches_nothing"));
}

TEST(ProfilePlan, AKernelThatIsNotLaunchedIsNotMeasured) {
  const auto planned = [](const char* name, std::vector<std::string> include) {
    NcuSettings asked = Asked("kernel", std::move(include));
    asked.options["kernel_name"] = {name};
    return Planned(asked, "kernel gemm @ A\nkernel relu @ B\n");
  };
  constexpr const char* kNone =
      "note kernel_matches_nothing\nnote no_matching_kernels\n";
  EXPECT_EQ(planned("gem", {}), kNone);
  EXPECT_EQ(planned("gem*", {}), kNone) << "ncu compares the whole name";
  EXPECT_EQ(planned("regex:soft.*max", {}), kNone);
  EXPECT_THAT(planned("regex:^g", {}), HasSubstr("\n1 kernels\n"));
  EXPECT_THAT(planned("gemm", {"A"}), HasSubstr("\n1 kernels\n"));
  EXPECT_THAT(planned("gemm", {"B"}), HasSubstr("note no_matching_kernels\n"));
}

TEST(ProfilePlan, InstancesAreLaunchesInKernelReplay) {
  constexpr std::string_view kSteps =
      "kernel k api=1 @ step#1\nkernel k api=2 @ step#2\n"
      "kernel k api=3 @ step#3\n";
  Profile profile = testing::ProfileBuilder::Build(kSteps);
  for (std::size_t i = 0; i < profile.measurements.size(); ++i)
    profile.measurements[i].api_call = i + 1;
  const NcuSettings asked = Asked("kernel");
  const InstanceWindow second{.skip = 1, .count = 1};
  Notes notes;
  CaptureOptions options;
  options.ncu = NcuOptionsFor(asked, {}, notes).value();
  const auto plan = MakeProfilePlan({.ncu = asked, .instances = second},
                                    {.profile = profile}, options);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan.value().runs.size(), 1U);
  EXPECT_EQ(plan.value().runs[0].launch_skip, 1U);
  EXPECT_EQ(plan.value().runs[0].launch_count, 1U);
  EXPECT_EQ(plan.value().groundwork.forecast->units, 1U);
}

TEST(ProfilePlan, InstancesWithoutNumbersAreLeftToTheReport) {
  const std::string plan =
      Planned(Asked("range"),
              "kernel k @ step#1\nkernel k @ step#2\nkernel k @ step#3\n",
              {.skip = 1, .count = 1});
  EXPECT_THAT(plan, HasSubstr("in [step] x3\n3 ranges\n"));
  EXPECT_THAT(plan, HasSubstr("note instances\nnote instances_in_report\n"));
}

TEST(ProfilePlan, ABudgetCutsMeasurementsAndForecast) {
  NcuSettings asked = Asked("kernel");
  asked.budget_s = 0.001;
  std::string steps;
  for (int i = 1; i <= 50; ++i) steps += fmt::format("kernel k @ step#{}\n", i);
  const std::string plan = Planned(asked, steps);
  EXPECT_THAT(plan, HasSubstr("note budget"));
  EXPECT_THAT(plan, HasSubstr("\n1 kernels\n"));
}

TEST(ProfilePlan, AnEarlierFailureLeavesNothingToRun) {
  const NcuSettings asked = Asked("range");
  CaptureOptions options;
  const auto plan = MakeProfilePlan(
      {.ncu = asked, .instances = InstanceWindow{}},
      {.trace = TraceRecord{.status = "failed"},
       .failure = Error(ErrorCode::kInterrupted, "interrupted")},
      options);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan.value().runs.empty());
  EXPECT_EQ(plan.value().groundwork.failure->code(), ErrorCode::kInterrupted);
  EXPECT_EQ(plan.value().groundwork.trace->status, "failed");
}

TEST(ProfilePlan, RangesBudgetsAndInstancesNeedToKnowTheProgram) {
  const auto needs = [](const NcuSettings& ncu, const InstanceWindow& window) {
    return NeedsToKnow({.ncu = ncu, .instances = window});
  };
  EXPECT_FALSE(needs(Asked("kernel"), {}));
  EXPECT_FALSE(needs(Asked("application"), {}));
  EXPECT_TRUE(needs(Asked("range"), {}));
  EXPECT_TRUE(needs(Asked("app-range"), {}));
  EXPECT_TRUE(needs(Asked("kernel"), {.skip = 1}));
  EXPECT_TRUE(needs(Asked("kernel"), {.count = 1}));
  NcuSettings budget = Asked("kernel");
  budget.budget_s = 60;
  EXPECT_TRUE(needs(budget, {}));
}

// The notes of CheckForecast on a capture that was expected to measure ten
// kernels in `expected` seconds, and measured `results` in `seconds`.
std::string Checked(double expected, double seconds, std::uint64_t results,
                    std::vector<std::string> command = {}) {
  Capture capture;
  capture.forecast = Forecast{.units = 10, .passes = 2, .seconds = expected};
  capture.runs = {{.command = std::move(command),
                   .seconds = seconds,
                   .results = results,
                   .passes = 2,
                   .used = true}};
  Notes notes;
  CheckForecast(capture, notes);
  std::string kinds;
  for (const Note& note : notes.all()) kinds += note.kind + " ";
  return kinds;
}

TEST(CheckForecast, NotesACostThatIsOffByMoreThanTwo) {
  EXPECT_EQ(Checked(10, 20, 10), "");
  EXPECT_EQ(Checked(10, 21, 10), "cost_estimate ");
  EXPECT_EQ(Checked(21, 10, 10), "cost_estimate ");
  EXPECT_EQ(Checked(1, 5.5, 10), "");  // a few seconds
  EXPECT_EQ(Checked(1, 6, 10), "cost_estimate ");
}

TEST(CheckForecast, NotesALaunchCountThatDiffers) {
  EXPECT_EQ(Checked(10, 10, 9), "");  // no option selects launches
  EXPECT_EQ(Checked(10, 10, 9, {"ncu", "--launch-count", "10"}),
            "launch_count ");
  EXPECT_EQ(Checked(10, 10, 9, {"ncu", "--kernel-id", "::k:1"}),
            "launch_count ");
  EXPECT_EQ(Checked(10, 10, 10, {"ncu", "--launch-count", "10"}), "");
}

TEST(ProfilePlan, ABudgetThatIsEnoughCutsNothing) {
  NcuSettings asked = Asked("kernel");
  asked.budget_s = 3600;
  EXPECT_THAT(Planned(asked, kNested),
              AllOf(HasSubstr("\n3 kernels\n"), Not(HasSubstr("note"))));
}

TEST(ProfilePlan, ApplicationReplayCannotSkipLaunches) {
  const std::string plan =
      Planned(Asked("application"),
              "kernel k @ step#1\nkernel k @ step#2\nkernel k @ step#3\n",
              {.skip = 1, .count = 1});
  EXPECT_THAT(plan, Not(HasSubstr("launches")));
  EXPECT_THAT(plan, HasSubstr("3 kernels\n"));
}

TEST(ProfilePlan, ExcludesAreNcusToo) {
  NcuSettings asked = Asked("kernel");
  asked.nvtx_exclude = {"B"};
  Notes notes;
  CaptureOptions options;
  ASSERT_TRUE(MakeProfilePlan({.ncu = asked, .instances = InstanceWindow{}}, {},
                              options)
                  .ok());
  EXPECT_FALSE(options.ncu.nvtx_exclude.empty());
}

}  // namespace
}  // namespace rangefinder
