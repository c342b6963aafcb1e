#include "analysis/nvtx_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "region/merged_names.h"
#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Profile& Nested() {
  static const auto* const profile =
      new Profile(testing::BuildProfile(testing::kNestedProgram));
  return *profile;
}

FilterAnswer Pattern(std::string_view text) {
  return Filter({.expression = std::string(text)}, Nested());
}

FilterAnswer Native(std::string_view text,
                    ncu::NvtxScope scope = ncu::NvtxScope::kRecorded) {
  return Filter(
      {.expression = std::string(text), .native = true, .scope = scope},
      Nested());
}

TEST(FilterCommand, APatternSelectsWhatItsAuthorMeant) {
  EXPECT_EQ(FilterText(Pattern("A"), Nested()),
            "ncu       --nvtx-include A/\n"
            "selects   6 of 28 measurements, in 2 regions\n"
            "\n"
            "  A          2-3, 7\n"
            "  A > A::A1  4-6\n");
  EXPECT_EQ(FilterText(Pattern("LLM@decode_[01]; S?"), Nested()),
            "ncu       --nvtx-include LLM@decode_0/\n"
            "ncu       --nvtx-include LLM@decode_1/\n"
            "ncu       --nvtx-include S1\n"
            "ncu       --nvtx-include S2\n"
            "selects   7 of 28 measurements, in 5 regions\n"
            "\n"
            "  LLM@decode_0  14-15\n"
            "  LLM@decode_1  16-17\n"
            "  S1            20\n"
            "  S1 > S2       21\n"
            "  S2            22\n");
}

TEST(FilterCommand, JsonIsTheWholeAnswer) {
  const auto json = nlohmann::json::parse(FilterJson(Pattern("A")));
  EXPECT_EQ(json, nlohmann::json::parse(R"({
      "expression": "A", "valid": true, "error": null, "translated": ["A/"],
      "measurements": [2, 3, 4, 5, 6, 7],
      "regions": [["A"], ["A", "A::A1"]], "hints": []})"));
  const auto refused = nlohmann::json::parse(FilterJson(Native("LLM@")));
  EXPECT_FALSE(refused["valid"]);
  EXPECT_THAT(refused["error"].get<std::string>(),
              HasSubstr("Invalid configuration"));
}

TEST(FilterCommand, UnattributedIsAPatternToo) {
  const FilterAnswer answer = Pattern("(unattributed)");
  EXPECT_EQ(answer.measurements.size(), 4U);
  EXPECT_THAT(answer.hints, IsEmpty());
}

TEST(FilterCommand, NativeIsNcusReading) {
  EXPECT_EQ(Native("A/").measurements.size(), 6U);
  EXPECT_THAT(Native("A/").hints, IsEmpty());
  EXPECT_THAT(Native("A").measurements, IsEmpty());
}

struct Case {
  std::string_view expression;
  std::string_view hint;
};

TEST(FilterCommand, SaysWhyNcuSelectsNothing) {
  for (const auto& [expression, hint] : {
           Case{"A",
                "'A' is a push/pop range, and without / [ or ] ncu looks for a "
                "start/end range: write 'A/' (6 measurements)"},
           {"S1/",
            "'S1' is a start/end range, and with / [ or ] ncu looks for a "
            "push/pop range: write 'S1' (2 measurements)"},
           {"prefill/",
            "'prefill' is in the domain 'LLM', and without @ ncu looks in the "
            "default domain only: write 'LLM@prefill/' (3 measurements)"},
           {"LLM@A/",
            "'A' is in the default domain, and 'LLM' is not that: write 'A/' "
            "(6 measurements)"},
           {"LLM@prefill",
            "'prefill' is a push/pop range, and without / [ or ] ncu looks for "
            "a start/end range: write 'LLM@prefill/' (3 measurements)"},
           {"a/",
            "case counts, and the range is called 'A': write 'A/' (6 "
            "measurements)"},
           {" A/",
            "blanks count, and the range is called 'A': write 'A/' (6 "
            "measurements)"},
           {"LLM@prefil/",
            "no range is called 'prefil'; did you mean 'prefill'?"},
           {"LLM@regex:decode.*/",
            "regex: belongs at the very beginning: write 'regex:LLM@decode.*/' "
            "(6 measurements)"},
           {"[A::A1",
            "'A::A1' is never open in this position; it is at: 'A > A::A1'"},
           {"regex:S[12]",
            "a bracket at either end is read as the bottom or top of the "
            "stack: write 'regex:(S[12])' (3 measurements)"},
           {"decode*",
            "as a pattern of rangefinder's (without --native), 'decode*' means "
            "'LLM@decode_0/', 'LLM@decode_1/', 'LLM@decode_2/'"},
           {"LLM@*/",
            "as a pattern of rangefinder's (without --native), 'LLM@*' means "
            "'LLM@prefill/', 'LLM@attn/', 'LLM@decode_0/', 'LLM@decode_1/', "
            "'LLM@decode_2/'"},
           {"A;B",
            "as a pattern of rangefinder's (without --native), 'B' means "
            "'B/'"},
           {"S2,A",
            "'A' is a push/pop range, and without / [ or ] ncu looks "
            "for a start/end range: write 'A/' (6 measurements)"},
       }) {
    const FilterAnswer answer = Native(expression);
    EXPECT_THAT(answer.measurements, IsEmpty()) << expression;
    EXPECT_THAT(answer.hints, Contains(std::string(hint))) << expression;
  }
}

TEST(FilterCommand, SaysThatARangeIsAnotherThreads) {
  const Profile profile =
      testing::BuildProfile("kernel k thread=2 @ thread 1: step");
  const FilterAnswer answer =
      Filter({.expression = "step/", .native = true}, profile);
  EXPECT_THAT(answer.hints,
              Contains(HasSubstr("--nvtx-push-pop-scope process")));
  const FilterAnswer pooled = Filter({.expression = "step/",
                                      .native = true,
                                      .scope = ncu::NvtxScope::kProcess},
                                     profile);
  EXPECT_EQ(pooled.measurements.size(), 1U);
}

TEST(FilterCommand, SaysWhyAPatternMatchesNothing) {
  EXPECT_THAT(Pattern("prefil").hints,
              ElementsAre("no range is called 'prefil'; did you mean "
                          "'prefill'?"));
  EXPECT_THAT(Pattern("X@prefill").hints,
              ElementsAre("'prefill' is in the domain 'LLM', which 'X' does "
                          "not match"));
  EXPECT_THAT(Pattern("B/A::A1").hints,
              ElementsAre("no region has this path; there are: 'A > A::A1'"));
  EXPECT_THAT(Pattern("regex:LLM@decode.*/").hints,
              Contains("read as ncu's own language it selects 6 measurements: "
                       "pass --native"));
  const Profile none = testing::BuildProfile("kernel k");
  EXPECT_THAT(Filter({.expression = "A"}, none).hints,
              ElementsAre(HasSubstr("no NVTX range was open")));
}

// A trace whose program launches nothing in `step`, `decode` and `idle`.
Profile Trace() {
  Profile profile = testing::BuildProfile(
      "kernel k @ step\nkernel k @ step/decode\nkernel k @ idle");
  for (const Measurement& m : profile.measurements)
    profile.visits.push_back({.thread = m.thread, .nvtx = m.nvtx});
  profile.measurements.clear();
  return profile;
}

TEST(FilterCommand, RegionsOfATraceNeedNoKernels) {
  const Profile trace = Trace();
  EXPECT_EQ(FilterText(Filter({.expression = "step"}, trace), trace),
            "selects   0 of 0 measurements, in 2 regions\n"
            "\n"
            "  step           none of its own\n"
            "  step > decode  none of its own\n");
  EXPECT_THAT(Filter({.expression = "step/decode"}, trace).regions,
              ElementsAre(ElementsAre("step", "decode")));
  EXPECT_THAT(Filter({.expression = "step/", .native = true}, trace).regions,
              ElementsAre(ElementsAre("step"), ElementsAre("step", "decode")));
  EXPECT_THAT(Filter({.expression = "stepp"}, trace).hints,
              ElementsAre(HasSubstr("did you mean 'step'?")));
}

TEST(FilterCommand, AnOuterRegionNeedsNoKernelOfItsOwn) {
  const Profile profile = testing::BuildProfile("kernel k @ step/decode/mlp");
  EXPECT_EQ(FilterText(Filter({.expression = "decode"}, profile), profile),
            "ncu       --nvtx-include decode/\n"
            "selects   1 of 1 measurements, in 2 regions\n"
            "\n"
            "  step > decode        none of its own\n"
            "  step > decode > mlp  0\n");
}

TEST(FilterCommand, RegionsHaveTheNamesOfReports) {
  std::string launches;
  for (int i = 0; i < 8; ++i)
    launches += "kernel k @ decode_" + std::to_string(i) + "\n";
  Profile profile = testing::BuildProfile(launches);
  MergeNames(NameMerging(), profile);
  const FilterAnswer answer = Filter({.expression = "decode_*"}, profile);
  EXPECT_THAT(answer.regions, ElementsAre(ElementsAre("decode_*")));
  EXPECT_EQ(answer.measurements.size(), 8U);
}

TEST(FilterCommand, APatternThatIsNoneIsRefused) {
  EXPECT_FALSE(Pattern("regex:(").valid);
  EXPECT_FALSE(Pattern(" ; ").valid);
  EXPECT_THAT(FilterText(Pattern("regex:("), Nested()),
              HasSubstr("refused   the pattern 'regex:(': missing"));
}

}  // namespace
}  // namespace rangefinder
