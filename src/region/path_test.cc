#include "region/path.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/draw.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using testing::BuildProfile;
using testing::Draw;

// The path of the only kernel of `line`.
std::string PathIn(std::string_view line, bool start_end = true) {
  const Profile profile = BuildProfile(line);
  return Draw(profile, PathOf(profile, profile.measurements.at(0), start_end));
}

TEST(PathOf, IsEmptyOutsideAllRanges) {
  EXPECT_EQ(PathIn("kernel k"), "(none)");
}

TEST(PathOf, IsTheStackOfTheLaunchingThread) {
  EXPECT_EQ(PathIn("kernel k @ A/B/C"), "A > B > C");
  EXPECT_EQ(PathIn("kernel k thread=2 @ thread 1: A"), "(none)");
  EXPECT_EQ(PathIn("kernel k thread=2 @ thread 1: A; thread 2: B"), "B");
}

TEST(PathOf, InterleavesDomainsByTheLastApiCall) {
  EXPECT_EQ(PathIn("kernel k @ A#1/B#5; LLM@p#3/q#7"), "A > LLM@p > B > LLM@q");
}

TEST(PathOf, ATieGoesToStartEndAndThenToTheLowerDomain) {
  EXPECT_EQ(PathIn("kernel k @ LLM@p#4; A#4; start S#4"), "S > A > LLM@p");
  EXPECT_EQ(PathIn("kernel k @ X@x#4; Y@y#4"), "X@x > Y@y");
}

TEST(PathOf, AStackKeepsItsOrderAgainstTheCalls) {
  EXPECT_EQ(PathIn("kernel k @ A#9/B#1; LLM@p#5"), "LLM@p > A > B");
}

TEST(PathOf, StartEndRangesOfAllThreadsCount) {
  EXPECT_EQ(PathIn("kernel k @ A#3; start S#1"), "S > A");
  EXPECT_EQ(PathIn("kernel k @ A#3; start S#7"), "A > S");
  // Calls of another thread have no order with this thread's: first, by id.
  EXPECT_EQ(PathIn("kernel k @ A#1; thread 9: start S#8; thread 9: start T#2"),
            "S > T > A");
}

TEST(PathOf, OverlappingStartEndRangesOpenInTheirOwnOrder) {
  EXPECT_EQ(PathIn("kernel k @ start S1#2; start S2#6"), "S1 > S2");
  EXPECT_EQ(PathIn("kernel k @ start S2#6"), "S2");
  EXPECT_EQ(PathIn("kernel k @ start S1#2; start S2#6", false), "(none)");
}

TEST(PathOf, ARangeMayHaveNoName) {
  const Profile profile = BuildProfile("kernel k @ A//B");
  const auto path = PathOf(profile, profile.measurements.at(0));
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(profile.Name(path[1].name), "");
}

TEST(PathOf, ANameMayBeNestedInItself) {
  EXPECT_EQ(PathIn("kernel k @ solve/solve/solve"), "solve > solve > solve");
}

TEST(PathOf, InProcessScopeTheStacksOfAllThreadsCount) {
  Profile profile = BuildProfile("kernel k thread=2 @ thread 1: A#1; B#2");
  profile.nvtx_states.back().process_scope = true;
  EXPECT_EQ(Draw(profile, PathOf(profile, profile.measurements[0])), "A > B");
}

TEST(PathOf, ATimeStampOrdersAcrossThreads) {
  Profile profile = BuildProfile("kernel k @ A#10/B#30; thread 9: start S#20");
  profile.nvtx_states.back().order = NvtxState::Order::kTime;
  EXPECT_EQ(Draw(profile, PathOf(profile, profile.measurements[0])),
            "A > S > B");
}

TEST(PathOf, EqualRangesKeepTheOrderOfTheFile) {
  Profile profile = BuildProfile("kernel k @ start S#4; start T#4; start U#4");
  for (NvtxStartEnd& open : profile.nvtx_states.back().start_end)
    open.range.id = 7;
  EXPECT_EQ(Draw(profile, PathOf(profile, profile.measurements[0])),
            "S > T > U");
}

TEST(PathOf, ExecutionsAreTheSameForLaunchesOfOneRangeAndDifferForTwo) {
  const Profile profile = BuildProfile(R"(
    kernel k @ A#1
    kernel k @ A#1
    kernel k @ A#5
    kernel k thread=2 @ A#1
    kernel k @ B#1/A#1
    kernel k @ start A#1
    kernel k @ start A#1
  )");
  const auto execution = [&](std::size_t i) {
    return PathOf(profile, profile.measurements[i]).back().execution;
  };
  EXPECT_EQ(execution(0), execution(1));
  // They differ by last call, thread, depth, kind, or id of a start/end range.
  for (std::size_t i = 2; i < 7; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(execution(i), execution(j)) << i << " " << j;
    }
  }
}

TEST(FrameText, NamesTheDomainUnlessItIsTheDefaultOne) {
  EXPECT_EQ(PathIn("kernel k @ LLM@p"), "LLM@p");
  // `@` in a name stays as it is, since the path in reports is only read.
  EXPECT_EQ(PathIn("kernel k @ x\\@y"), "x@y");
}

}  // namespace
}  // namespace rangefinder
