#include <span>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ingest/reader.h"
#include "ingest/trace/trace_reader.h"
#include "plan/counter_plan.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

Profile TraceOf(const std::string& text) {
  const std::string bytes = testing::BuildTrace(text);
  Notes notes;
  auto profile = ReadRangefinderTrace(
      {.path = "trace", .bytes = bytes, .forget = [](std::string_view) {}},
      notes);
  EXPECT_TRUE(profile.ok());
  return profile.ok() ? std::move(profile).value() : Profile{};
}

// `count` steps with two layers each: 30 µs of GPU time in a layer, 10 more in
// the step.
std::string Steps(int count) {
  std::string text;
  int launch = 0, at = 0;
  std::string kernels;
  const auto kernel = [&](int us) {
    ++launch;
    text += fmt::format("{} launch {}\n", at + 1, launch);
    kernels += fmt::format("kernel k {}-{} of={} stream=7 device=0\n", at + 2,
                           at + 2 + us, launch);
    at += us + 10;
  };
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{} push step\n", at);
    for (int layer = 0; layer < 2; ++layer) {
      text += fmt::format("{} push layer\n", at);
      kernel(30);
      text += fmt::format("{} pop\n", at);
    }
    kernel(10);
    text += fmt::format("{} pop\n", ++at);
  }
  return text + kernels;
}

CountingRequest Budget(double seconds, std::size_t passes = 1) {
  return {.budget_s = seconds, .passes = passes};
}

// The rows of the file.
std::string PlannedRows(const CountingPlan& plan) {
  const std::string text = CountingFile(plan);
  return text.substr(text.find("row"));
}

std::string NotesOf(const CountingPlan& plan) {
  std::string text;
  for (const Note& note : plan.notes.all())
    text += fmt::format("{} {}: {}\n", note.count, note.kind, note.text);
  return text;
}

TEST(CountPlan, LevelsTakeTurnsAndInstancesAreSpreadOverTheRun) {
  const CountingPlan plan = PlanCounting(TraceOf(Steps(100)), Budget(1));
  EXPECT_EQ(PlannedRows(plan),
            "row\t2\t1\t32\t0\t2\twhole\t\tstep\n"
            "row\t4\t3\t32\t1\t2\twhole\t\tstep\t\tlayer\n");
  EXPECT_EQ(plan.expected(), 64U);
  EXPECT_NEAR(plan.seconds, 64 * 1.4e-3, 1e-9);
  EXPECT_EQ(CountingTable(plan),
            "   step: 32 of 100 instances, without the first 2, in turn with 1 "
            "more level of nesting\n"
            "   step/layer: 32 of 200 instances, one in 3, without the first "
            "4, in turn with 1 more level of nesting\n");
  EXPECT_EQ(CountingText(plan),
            "counting 64 instances of 2 regions: about 90 ms of the program's "
            "time (the budget is 1.0 s), and 0.6 s to start");
}

TEST(CountPlan, OfOneInstanceTheOuterRegionIsCountedInParts) {
  const CountingPlan plan = PlanCounting(TraceOf(Steps(1)), Budget(0.01));
  EXPECT_EQ(PlannedRows(plan),
            "row\t0\t1\t1\t0\t1\tsplit\t\tstep\n"
            "row\t0\t1\t2\t0\t1\tsplit\t\tstep\t\tlayer\n");
  EXPECT_EQ(plan.expected(), 3U);
}

// Parts of one instance cannot be had in different passes.
TEST(CountPlan, OfOneInstanceSeveralPassesHaveTheOuterRegionAlone) {
  const CountingPlan plan = PlanCounting(TraceOf(Steps(1)), Budget(1, 3));
  EXPECT_EQ(PlannedRows(plan), "row\t0\t1\t1\t0\t1\twhole\t\tstep\n");
  EXPECT_EQ(NotesOf(plan),
            "1 not_counted: regions within others are not counted: several "
            "passes cannot be had of one instance, and there are too few "
            "instances to take turns\n");
}

TEST(CountPlan, SeveralPassesHaveMoreInstances) {
  const CountingPlan plan = PlanCounting(TraceOf(Steps(1000)), Budget(10, 3));
  EXPECT_EQ(plan.expected(), 2U * 32 * 3);
  EXPECT_EQ(plan.instances, 16U);
}

TEST(CountPlan, ASmallBudgetIsForTheRegionsOfMostTime) {
  std::string text;
  for (int i = 0; i < 600; ++i) {
    const int at = i * 100;
    text += fmt::format("{} push r{}\n{} launch {}\n{} pop\n", at, i, at + 1,
                        i + 1, at + 90);
  }
  for (int i = 0; i < 600; ++i) {
    text += fmt::format("kernel k {}-{} of={} stream=7 device=0\n", i * 100 + 2,
                        i * 100 + 12 + i / 10, i + 1);
  }
  // Half a second at least, which is 357 ranges.
  const CountingPlan plan = PlanCounting(TraceOf(text), Budget(0.001));
  EXPECT_EQ(plan.regions.size(), 357U);
  EXPECT_EQ(plan.expected(), 357U);
  EXPECT_EQ(NotesOf(plan),
            "243 not_counted: regions of less GPU time are not counted: the "
            "budget does not reach for them\n");
}

TEST(CountPlan, PatternsSayWhichRegions) {
  CountingRequest request = Budget(1);
  request.include.push_back(Pattern::Parse("layer").value());
  const CountingPlan plan = PlanCounting(TraceOf(Steps(10)), request);
  EXPECT_EQ(PlannedRows(plan), "row\t2\t1\t18\t0\t1\twhole\t\tstep\t\tlayer\n");
}

TEST(CountPlan, RegionsWithCopiesAloneAreCounted) {
  const CountingPlan plan =
      PlanCounting(TraceOf("10 push load\n12 launch 1\n20 pop\n"
                           "30 push compute on the CPU\n40 pop\n"
                           "copy 15-19 of=1 stream=7 device=0 bytes=64\n"),
                   Budget(1));
  EXPECT_EQ(PlannedRows(plan), "row\t0\t1\t1\t0\t1\twhole\t\tload\n");
}

TEST(CountPlan, StartEndRangesAndWhatIsInThemAreLeftOut) {
  const CountingPlan plan =
      PlanCounting(TraceOf("10 start S1 id=5\n11 push A\n12 launch 1\n"
                           "20 pop\n29 end id=5\n"
                           "kernel k 15-19 of=1 stream=7 device=0\n"),
                   Budget(1));
  EXPECT_TRUE(plan.regions.empty());
  EXPECT_EQ(NotesOf(plan),
            "2 not_counted: start/end ranges and the regions in them are not "
            "counted\n"
            "1 nothing_to_count: no region is counted: none that is wanted "
            "used the GPU in the trace\n");
}

TEST(CountPlan, NamesAreWrittenAsTheyAre) {
  const CountingPlan plan =
      PlanCounting(TraceOf("10 push LLM@a\\b\n12 launch 1\n20 pop\n"
                           "kernel k 15-19 of=1 stream=7 device=0\n"),
                   Budget(1));
  EXPECT_EQ(PlannedRows(plan), "row\t0\t1\t1\t0\t1\twhole\tLLM\ta\\\\b\n");
}

}  // namespace
}  // namespace rangefinder
