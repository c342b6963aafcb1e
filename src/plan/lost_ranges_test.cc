#include "plan/lost_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;

// One run in a range mode over A and B, planned twice and once.
struct Planned {
  RunRecord run{.name = "run", .mode = "range", .regions = {"A", "B"}};
  CapturePlan plan{};

  Planned() {
    plan.runs = {{.regions = {"A", "B"}, .region_instances = {2, 1}}};
  }

  // A line a note.
  std::string Notes(RangeCounts measured, std::string log = {}) const {
    const RunOutcome outcomes[] = {
        {.run = &run, .measured = std::move(measured), .log = std::move(log)}};
    rangefinder::Notes notes;
    NoteLostRanges(plan, outcomes, notes);
    std::string text;
    for (const Note& note : notes.all())
      text += note.kind + " " + note.text + "\n";
    return text;
  }
};

TEST(CountRanges, CountsRangesMeasuredAsAWhole) {
  const Profile profile = testing::ProfileBuilder::Build(
      "range @ A#1\nrange @ A#2\nkernel k @ A#3\nrange @ A; LLM@p\n");
  EXPECT_EQ(CountRanges(profile), (RangeCounts{{"A", 2}, {"A/LLM@p", 1}}));
}

TEST(LostRanges, RangesMeasuredAsPlannedAreNotNoted) {
  EXPECT_EQ(Planned().Notes({{"A", 2}, {"B", 1}}), "");
  // More are there in app-range replay, where the program only waits.
  EXPECT_EQ(Planned().Notes({{"A", 3}, {"B", 1}}), "");
}

TEST(LostRanges, FewerInstancesThanPlannedAreCounted) {
  EXPECT_EQ(Planned().Notes({{"A", 1}, {"B", 1}}),
            "range_count A: 1 instances were measured, 2 were planned; does "
            "the program do the same every time?\n");
}

TEST(LostRanges, ARegionThatNoRunMeasuredHasAReason) {
  const Planned planned;
  EXPECT_THAT(planned.Notes({{"A", 2}}),
              HasSubstr("lost_range B was not measured as a whole in range "
                        "replay: its work was launched by another thread"));
  EXPECT_THAT(
      planned.Notes({{"A", 2}},
                    "==ERROR== Unsupported API during capture (cuMemAlloc)"),
      HasSubstr("refused a call in such a range (cuMemAlloc)"));
  EXPECT_THAT(planned.Notes({{"A", 2}}, "x (RecordStatusEmpty) y"),
              HasSubstr("nothing was launched in such a range"));
  EXPECT_THAT(planned.Notes({{"A", 2}}, "Skipping invalid capture range"),
              HasSubstr("found the range invalid"));
  EXPECT_THAT(planned.Notes({{"A", 2}}, "UnknownError"),
              HasSubstr("CUDA graph inside"));
}

TEST(LostRanges, TheReasonDependsOnTheEndAndTheModeOfTheRun) {
  Planned planned;
  planned.run.status = 1;
  EXPECT_THAT(planned.Notes({{"A", 2}}),
              HasSubstr("the run ended before it, or at it"));
  planned.run.status = 0;
  planned.run.mode = "app-range";
  EXPECT_THAT(planned.Notes({{"A", 2}}),
              HasSubstr("in app-range replay: in the replayed run it launched "
                        "nothing from its own thread"));
}

TEST(LostRanges, AReplacedRunAndItsReplacementCountTogether) {
  Planned planned;
  RunRecord replaced = planned.run;
  replaced.outcome = "replaced";
  RunRecord kernels = planned.run;
  kernels.mode = "kernel";
  // The replaced run measured A, the run after it measured B.
  const RunOutcome outcomes[] = {{.run = &replaced, .measured = {{"A", 2}}},
                                 {.run = &planned.run, .measured = {{"B", 1}}},
                                 {.run = &kernels}};
  Notes notes;
  NoteLostRanges(planned.plan, outcomes, notes);
  EXPECT_TRUE(notes.all().empty());
}

}  // namespace
}  // namespace rangefinder
