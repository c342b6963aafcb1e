#include "region/nvtx_match.h"

#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder::ncu {
namespace {

using rangefinder::testing::BuildProfile;
using rangefinder::testing::kContextsProgram;
using rangefinder::testing::kNestedProgram;

// How many measurements `text` selects, or -1 where ncu refuses it.
int Count(const Profile& profile, std::string_view text,
          NvtxScope scope = NvtxScope::kThread) {
  const Result<NvtxExpression> expression = ParseNvtxExpression(text);
  if (!expression.ok()) return -1;
  int count = 0;
  for (const Measurement& m : profile.measurements)
    count += Matches(expression.value(), profile, m, scope) ? 1 : 0;
  return count;
}

struct Case {
  std::string_view expression;
  int count;
};

TEST(NvtxMatch, CountsWhatNcuCountedLive) {
  const Profile profile = BuildProfile(kNestedProgram);
  ASSERT_EQ(profile.measurements.size(), 28U);
  for (const auto& [expression, count] : {
           Case{"A/", 6},
           {"A", 0},
           {"A/*", 6},
           {"A/A::A1/", 3},
           {"A/*/A::A1/", 3},
           {"A/+", 3},
           {"A/+/A::A1", 0},
           {"A::A1/", 3},
           {"A::A1]", 3},
           {"[A", 6},
           {"A]", 3},
           {"[A::A1", 0},
           {"LLM@*", 0},
           {"LLM@*/", -1},
           {"*/", -1},
           {"LLM@", -1},
           {"*@prefill/", 0},
           {"prefill/", 0},
           {"decode*", 0},
           {"LLM@decode*/", 0},
           {"LLM@regex:decode.*/", 0},
           {"regex:decode.*/", 0},
           {"regex:LLM@decode.*/", 6},
           {"regex:.*@decode_.*/", 6},
           {"regex:LL@decode_0/", 2},
           {"S1", 2},
           {"S1,S2", 1},
           {"S1+S2", 0},
           {"regex:S.", 3},
           {"regex:S[12]", -1},
           {"A/,B/", 0},
       }) {
    EXPECT_EQ(Count(profile, expression), count) << expression;
  }
}

TEST(NvtxMatch, TheContextsAreWhereTheyAreSaidToBe) {
  const Profile profile = BuildProfile(kContextsProgram);
  ASSERT_EQ(profile.measurements.size(), 55U);
  EXPECT_EQ(Count(profile, "r0/r1"), 1);
}

TEST(NvtxMatch, ProcessScopePoolsTheThreads) {
  const Profile profile = BuildProfile(kNestedProgram);
  EXPECT_EQ(Count(profile, "T1/", NvtxScope::kThread), 2);
  EXPECT_EQ(Count(profile, "T1/", NvtxScope::kProcess), 3);
}

}  // namespace
}  // namespace rangefinder::ncu
