#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/region_plan.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// "wanted" or "nothing", then the texts of the notes.
std::string IncludesChecked(std::string include, const Profile& profile) {
  Notes notes;
  NcuSettings ncu;
  ncu.nvtx_include = {std::move(include)};
  const auto any = CheckIncludes(ncu, profile, notes);
  if (!any.ok()) return any.error().message();
  std::string text = any.value() ? "wanted" : "nothing";
  for (const Note& note : notes.all()) text += "\n" + note.text;
  return text;
}

// A, A/A1 and B launch; the trace saw `idle`, too.
Profile IncludeProgram() {
  Profile profile = testing::ProfileBuilder::Build(
      "kernel k @ A#1\nkernel k @ A#1/A1#2\nkernel k @ B#3\n"
      "kernel k @ idle#4\n");
  const Measurement idle = profile.measurements.back();
  profile.measurements.pop_back();
  profile.visits.push_back({.process = idle.process,
                            .thread = idle.thread,
                            .nvtx = idle.nvtx,
                            .instances = 1});
  return profile;
}

TEST(CheckIncludes, AcceptsRegionsWithLaunches) {
  EXPECT_EQ(IncludesChecked("A;B", IncludeProgram()), "wanted");
  EXPECT_EQ(IncludesChecked("A/A1", IncludeProgram()), "wanted");
  EXPECT_EQ(IncludesChecked("regex:^B$", IncludeProgram()), "wanted");
}

TEST(CheckIncludes, NotesEachPatternWithoutARegion) {
  EXPECT_THAT(IncludesChecked("A;nosuch*", IncludeProgram()),
              AllOf(HasSubstr("wanted\n"), HasSubstr("'nosuch*'")));
  EXPECT_THAT(
      IncludesChecked("a", IncludeProgram()),
      AllOf(HasSubstr("nothing\n"), HasSubstr("'a'"), HasSubstr("'A'")));
}

TEST(CheckIncludes, NotesAnIdleRegion) {
  EXPECT_THAT(
      IncludesChecked("idle", IncludeProgram()),
      AllOf(HasSubstr("nothing\n"),
            HasSubstr("idle, in which the program launched no kernel")));
}

TEST(NoteNothingToMeasure, GivesTheReasonByTheRegionsOfTheProgram) {
  const auto why = [](const Profile& profile, const char* mode) {
    NcuSettings ncu;
    ncu.replay_mode = mode;
    Notes notes;
    NoteNothingToMeasure(ncu, profile, notes);
    return notes.all().at(0).text;
  };
  const Profile bare = testing::ProfileBuilder::Build("kernel k\n");
  EXPECT_THAT(why(bare, "range"), AllOf(HasSubstr("opened no NVTX range"),
                                        Not(HasSubstr("gating_nvtx"))));
  EXPECT_THAT(why(bare, "kernel"), HasSubstr("gating_nvtx=false"));
  Profile idle = IncludeProgram();
  idle.measurements.clear();
  EXPECT_THAT(why(idle, "kernel"),
              HasSubstr("no kernel inside its NVTX ranges"));
}

}  // namespace
}  // namespace rangefinder
