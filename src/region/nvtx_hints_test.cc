#include "region/nvtx_hints.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ncu::NvtxScope;
using testing::BuildProfile;

// All hints on an expression, a line each.
std::string Said(std::string_view program, std::string_view expression,
                 NvtxScope scope = NvtxScope::kRecorded) {
  return fmt::format(
      "{}",
      fmt::join(ExplainExpression(expression, BuildProfile(program), scope),
                "\n"));
}

std::string SaidOfPattern(std::string_view program, std::string_view pattern) {
  return fmt::format(
      "{}", fmt::join(ExplainPattern(pattern, BuildProfile(program)), "\n"));
}

constexpr std::string_view kHintedProgram = R"(
kernel k @ A/B
kernel k @ A/B
kernel k @ B
kernel k @ LLM@p
kernel k @ start S1
kernel k @ start S2
)";

TEST(NvtxHints, WithoutOpenRangesThereIsOneHint) {
  const std::string nothing =
      "no NVTX range was open at any launch of this capture: the program opens "
      "none around its kernels, or it was recorded without NVTX";
  EXPECT_EQ(Said("kernel k", "A;B/"), nothing);
  EXPECT_EQ(SaidOfPattern("kernel k", "A"), nothing);
}

TEST(NvtxHints, ProposeTheOtherKindOfRangeWithItsCount) {
  EXPECT_EQ(Said(kHintedProgram, "A"),
            "'A' is a push/pop range, and without / [ or ] ncu looks for a "
            "start/end range: write 'A/' (2 measurements)\n"
            "as a pattern of rangefinder's (without --native), 'A' means 'A/'");
  EXPECT_EQ(Said(kHintedProgram, "S1/"),
            "'S1' is a start/end range, and with / [ or ] ncu looks for a "
            "push/pop range: write 'S1' (1 measurement)\n"
            "as a pattern of rangefinder's (without --native), 'S1' means "
            "'S1'");
}

TEST(NvtxHints, NameTheDomain) {
  EXPECT_EQ(Said(kHintedProgram, "p/"),
            "'p' is in the domain 'LLM', and without @ ncu looks in the "
            "default domain only: write 'LLM@p/' (1 measurement)\n"
            "as a pattern of rangefinder's (without --native), 'p' means "
            "'LLM@p/'");
  EXPECT_EQ(Said(kHintedProgram, "X@p/"),
            "'p' is in the domain 'LLM', and 'X' is not that: write 'LLM@p/' "
            "(1 measurement)");
  EXPECT_EQ(SaidOfPattern(kHintedProgram, "X@p"),
            "'p' is in the domain 'LLM', which 'X' does not match");
  // Of several domains, the one with a range of the requested kind.
  EXPECT_EQ(Said("kernel k @ start LLM@p\nkernel k @ L@p", "p/"),
            "'p' is in the domain 'L', and without @ ncu looks in the default "
            "domain only: write 'L@p/' (1 measurement)\n"
            "as a pattern of rangefinder's (without --native), 'p' means "
            "'LLM@p', 'L@p/'");
}

TEST(NvtxHints, ProposeTheNearestName) {
  EXPECT_EQ(Said(kHintedProgram, "a/"),
            "case counts, and the range is called 'A': write 'A/' (2 "
            "measurements)");
  EXPECT_EQ(Said(kHintedProgram, " B/"),
            "blanks count, and the range is called 'B': write 'B/' (3 "
            "measurements)\n"
            "as a pattern of rangefinder's (without --native), 'B' means "
            "'B/'");
  EXPECT_EQ(Said("kernel k @ prefill", "prefil/"),
            "no range is called 'prefil'; did you mean 'prefill'?");
  EXPECT_EQ(SaidOfPattern("kernel k @ prefill", "prefil"),
            "no range is called 'prefil'; did you mean 'prefill'?");
}

TEST(NvtxHints, ListFiveOfManyNames) {
  EXPECT_EQ(Said(kHintedProgram, "encoder/"),
            "no range is called 'encoder'; there are: 'A', 'B', 'LLM@p', 'S1', "
            "'S2'");
  EXPECT_EQ(Said("kernel k @ a1/a2/a3/a4/a5/a6/a7", "regex:encoder/"),
            "no range has a name in which 'encoder' is found; there are: 'a1', "
            "'a2', 'a3', 'a4', 'a5' and 2 more");
  EXPECT_EQ(Said("kernel k @ a1/a2/a3/a4/a5/a6/a7", "a*/"),
            "no range is called 'a*'; there are: 'a1', 'a2', 'a3', 'a4', 'a5' "
            "and 2 more\n"
            "as a pattern of rangefinder's (without --native), 'a*' means "
            "'a1/', 'a2/', 'a3/', 'a4/', 'a5/' and 2 more");
}

TEST(NvtxHints, TellThePositionWhereTheNameIsRight) {
  EXPECT_EQ(Said(kHintedProgram, "A]"),
            "'A' is never open in this position; it is at: 'A'");
  EXPECT_EQ(Said(kHintedProgram, "B/A/"),
            "'A' is never open in this position; it is at: 'A'");
  EXPECT_EQ(Said(kHintedProgram, "B/B"),
            "'B' is never open in this position; it is at: 'A > B', 'B'");
  EXPECT_EQ(Said(kHintedProgram, "S1,S2"),
            "these ranges are never open at the same time");
  EXPECT_EQ(SaidOfPattern(kHintedProgram, "A/p"),
            "no region has this path; there are: 'LLM@p'");
}

TEST(NvtxHints, ProposeTheProcessScopeForRangesOfOtherThreads) {
  constexpr std::string_view kThreads =
      "kernel k thread=2 @ thread 1: A; thread 2: B";
  EXPECT_EQ(Said(kThreads, "A/"),
            "the range is open on another thread than the one that launches: "
            "pass --nvtx-push-pop-scope process, or use a start/end range");
  // The proposed expression is counted in the requested scope.
  EXPECT_EQ(Said(kThreads, "a/"), "");
  EXPECT_EQ(Said(kThreads, "a/", NvtxScope::kProcess),
            "case counts, and the range is called 'A': write 'A/' (1 "
            "measurement)");
}

TEST(NvtxHints, CorrectARegularExpression) {
  EXPECT_EQ(Said(kHintedProgram, "LLM@regex:p.*/"),
            "regex: belongs at the very beginning: write 'regex:LLM@p.*/' (1 "
            "measurement)\n"
            "no range is called 'regex:p.*'; there are: 'A', 'B', 'LLM@p', "
            "'S1', 'S2'\n"
            "as a pattern of rangefinder's (without --native), "
            "'LLM@regex:p.*' means 'LLM@p/'");
  EXPECT_EQ(Said(kHintedProgram, "regex:S[12]"),
            "a bracket at either end is read as the bottom or top of the "
            "stack: write 'regex:(S[12])' (2 measurements)\n"
            "as a pattern of rangefinder's (without --native), 'regex:S[12]' "
            "means 'S1', 'S2'");
  EXPECT_EQ(SaidOfPattern(kHintedProgram, "regex:A/$"),
            "read as ncu's own language it selects 2 measurements: pass "
            "--native");
}

}  // namespace
}  // namespace rangefinder
