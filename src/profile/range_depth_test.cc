#include "profile/range_depth.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/profile.h"

namespace rangefinder {
namespace {

using enum FrameKind;

class Leaks : public ::testing::Test {
 protected:
  StringId Name(std::string_view name) { return profile_.strings.Intern(name); }

  // The notes, a line each.
  std::string Found(std::uint64_t too_deep = 0, bool interrupted = false) {
    Notes notes;
    finder_.Finish(profile_, too_deep, interrupted, notes, "run");
    std::string lines;
    for (const Note& note : notes.all())
      lines += fmt::format("{} x{}\n", note.text, note.count);
    return lines;
  }

  Profile profile_;
  LeakFinder finder_;
};

TEST_F(Leaks, AreNotedWithTheNameThatIsNeverClosed) {
  finder_.Add(kPushPop, 1, Name("LLM"), Name("step"), 4000);
  finder_.Add(kStartEnd, 7, {}, Name("request"), 12);
  finder_.Add(kPushPop, 1, {}, Name("main"));
  EXPECT_EQ(Found(),
            "'LLM@step' is opened 4,000 times and never closed: a pop is "
            "missing x1\n"
            "'request' is opened 12 times and never closed: a range end is "
            "missing x1\n");
}

TEST_F(Leaks, AreOfOneThreadAndSummedOverAll) {
  for (std::uint64_t thread = 0; thread < 100; ++thread)
    finder_.Add(kPushPop, thread, {}, Name("worker"));
  finder_.Add(kPushPop, 1, {}, Name("step"), 10);
  finder_.Add(kPushPop, 2, {}, Name("step"), 20);
  EXPECT_EQ(Found(),
            "'step' is opened 30 times and never closed: a pop is missing "
            "x1\n");
}

TEST_F(Leaks, OfNumberedNamesAreOne) {
  for (int i = 0; i < 200; ++i)
    finder_.Add(kPushPop, 1, {}, Name(fmt::format("step {}", i)));
  EXPECT_EQ(Found(),
            "'step *' is opened 200 times and never closed: a pop is missing "
            "x1\n");
}

TEST_F(Leaks, AreNotRangesOpenAtTheEndOfTheProgram) {
  finder_.Add(kStartEnd, 7, {}, Name("request"), 12);
  finder_.AddEnded(7, {}, Name("request"), 1000);
  EXPECT_EQ(Found(), "");
}

TEST_F(Leaks, AreNotAnInterruptedRecursion) {
  finder_.Add(kPushPop, 1, {}, Name("solve"), 32);
  EXPECT_EQ(Found(0, true), "");
}

TEST_F(Leaks, RangesWithoutALevelAreCounted) {
  EXPECT_EQ(Found(3),
            "ranges opened inside 128 others, or inside 32 of their own name, "
            "count for the region around them x3\n");
}

TEST(RangeDepth, IsLimitedForAllNamesAndForOneName) {
  const auto too_deep = [](int open, int alike) {
    std::vector<bool> ranges(static_cast<std::size_t>(open), false);
    std::fill_n(ranges.begin(), alike, true);
    return IsTooDeep(ranges, [](bool is_alike) { return is_alike; });
  };
  EXPECT_FALSE(too_deep(31, 31));
  EXPECT_TRUE(too_deep(32, 32));
  EXPECT_FALSE(too_deep(127, 31));
  EXPECT_TRUE(too_deep(128, 0));
}

}  // namespace
}  // namespace rangefinder
