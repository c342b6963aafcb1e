#include "region/nvtx_translate.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "region/nvtx_expression.h"
#include "tests/support/profile_builder.h"
#include "tests/support/selected_by_ncu.h"

namespace rangefinder {
namespace {

using testing::BuildProfile;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kContextsProgram;
using testing::kNestedProgram;

std::vector<std::string> Translate(std::string_view pattern,
                                   const std::vector<KnownPath>* known) {
  const auto translation = TranslatePattern(pattern, known);
  EXPECT_TRUE(translation.ok()) << pattern;
  if (!translation.ok()) return {"error"};
  return translation.value().expressions;
}

// The measurements inside regions that the pattern matches.
std::vector<std::size_t> Meant(const Profile& profile,
                               std::string_view pattern) {
  const Pattern parsed = Pattern::Parse(pattern).value();
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
    const auto path = PathOf(profile, profile.measurements[i]);
    const auto names = FrameNames(profile, path);
    for (std::size_t length = 1; length <= names.size(); ++length) {
      if (parsed.Matches(std::span(names).first(length))) {
        meant.push_back(i);
        break;
      }
    }
  }
  return meant;
}

TEST(NvtxTranslate, NamesTheKnownRegionsThatMatch) {
  const Profile profile = BuildProfile(kNestedProgram);
  const auto known = KnownRegions(profile);
  EXPECT_THAT(Translate("A", &known), ElementsAre("A/"));
  EXPECT_THAT(Translate("A::A1", &known), ElementsAre("A::A1/"));
  EXPECT_THAT(Translate("A/A::A1", &known), ElementsAre("[A/A::A1/"));
  EXPECT_THAT(Translate("prefill*", &known), ElementsAre("LLM@prefill/"));
  EXPECT_THAT(Translate("decode*", &known),
              ElementsAre("LLM@decode_0/", "LLM@decode_1/", "LLM@decode_2/"));
  EXPECT_THAT(Translate("S?", &known), ElementsAre("S1", "S2"));
  EXPECT_THAT(Translate("LLM@*", &known),
              ElementsAre("LLM@prefill/", "LLM@attn/", "LLM@decode_0/",
                          "LLM@decode_1/", "LLM@decode_2/"));
  EXPECT_THAT(Translate("weird/na me,[x]@y*", &known),
              ElementsAre("weird\\/na me\\,\\[x\\]\\@y\\*/"));
  EXPECT_THAT(Translate("nothing", &known), IsEmpty());
}

TEST(NvtxTranslate, OfUnknownRegionsSelectsBothKindsInEveryDomain) {
  EXPECT_THAT(Translate("A", nullptr),
              ElementsAre("regex:.*@^A$/", "regex:.*@^A$"));
  EXPECT_THAT(Translate("decode_*", nullptr),
              ElementsAre("regex:.*@^decode_.*$/", "regex:.*@^decode_.*$"));
  EXPECT_THAT(Translate("LLM@*", nullptr),
              ElementsAre("regex:^LLM$@.*/", "regex:^LLM$@.*"));
  EXPECT_THAT(Translate("LLM@prefill", nullptr),
              ElementsAre("LLM@prefill/", "LLM@prefill"));
  EXPECT_THAT(Translate("@A", nullptr), ElementsAre("A/", "A"));
}

// Of both programs, and some of neither.
constexpr std::string_view kPatterns[] = {"A",
                                          "A::A1",
                                          "A/A::A1",
                                          "A/**",
                                          "**/attn",
                                          "LLM@*",
                                          "LLM@decode_?",
                                          "decode*",
                                          "prefill*",
                                          "*",
                                          "S1",
                                          "S*",
                                          "T[01]",
                                          "T[!0]",
                                          "@A",
                                          "weird*",
                                          "weird/na me,[x]@y*",
                                          "regex:ecode",
                                          "regex:^A$",
                                          "regex:LLM@[dp]",
                                          "regex:T[01]",
                                          "L@p",
                                          "L*@p",
                                          "a/b",
                                          "a/*/b",
                                          "a/**/b",
                                          "L@p/q",
                                          "x\\*",
                                          "a\\/b",
                                          "[x]",
                                          "x\\\\y",
                                          " x",
                                          "x,y",
                                          "u/v",
                                          "regex:x",
                                          "\\*",
                                          "+",
                                          "na\xC3\xAFve",
                                          "d\\/e@r",
                                          "x\\@y@*",
                                          "z$",
                                          "B",
                                          "regex:^A/",
                                          "b/**"};

// No measurement of a pattern is missed; where the regions are known, no other
// is selected.
TEST(NvtxTranslate, SelectsTheRegionsOfThePattern) {
  const Profile nested = BuildProfile(kNestedProgram);
  const Profile contexts = BuildProfile(kContextsProgram);
  for (const Profile* profile : {&nested, &contexts}) {
    const auto known = KnownRegions(*profile);
    for (const std::string_view pattern : kPatterns) {
      const auto meant = Meant(*profile, pattern);
      const auto selected =
          testing::SelectedByNcu(*profile, Translate(pattern, &known));
      // ncu does not see ranges of other domains between those of a path.
      if (Pattern::Parse(pattern).value().is_path())
        EXPECT_TRUE(std::ranges::includes(selected, meant)) << pattern;
      else
        EXPECT_EQ(selected, meant) << pattern;
      EXPECT_TRUE(std::ranges::includes(
          testing::SelectedByNcu(*profile, Translate(pattern, nullptr)), meant))
          << pattern << ": "
          << fmt::format("{}", fmt::join(Translate(pattern, nullptr), "  "));
    }
  }
}

TEST(NvtxTranslate, EveryRegionHasAnExpressionThatSelectsIt) {
  const Profile profile = BuildProfile(kContextsProgram);
  for (const KnownPath& region : KnownRegions(profile)) {
    const auto expression = ExpressionFor(region);
    ASSERT_TRUE(expression);
    EXPECT_THAT(testing::SelectedByNcu(profile, {*expression}),
                ::testing::Not(IsEmpty()))
        << *expression;
  }
}

TEST(NvtxTranslate, ForeignRegularExpressionsAreNotCutApart) {
  EXPECT_THAT(Translate("regex:T[01]", nullptr),
              ElementsAre("regex:.*@(T[01])/", "regex:.*@(T[01])"));
  EXPECT_THAT(Translate("regex:x,y", nullptr),
              ElementsAre("regex:.*@x\\,y/", "regex:.*@x\\,y"));
  EXPECT_THAT(Translate("regex:[@/]x", nullptr),
              ElementsAre("regex:.*@([\\@\\/]x)/", "regex:.*@([\\@\\/]x)"));
  // The comma of {1,2} would separate two names of a start/end expression.
  const auto braces = TranslatePattern("regex:a{1,2}b", nullptr);
  ASSERT_TRUE(braces.ok());
  EXPECT_THAT(braces.value().expressions, ElementsAre("regex:.*@a{1,2}b/"));
  EXPECT_THAT(braces.value().remarks, ::testing::SizeIs(1));
}

TEST(NvtxTranslate, NamesImpossibleInExactExpressionsBecomeRegularOnes) {
  const KnownFrame backslash{.name = "x\\"};
  EXPECT_EQ(ExpressionFor(backslash), "regex:^x\\\\$/");
  const KnownFrame prefix{.domain = "", .name = "regex:x"};
  EXPECT_EQ(ExpressionFor(prefix), "regex:^regex:x$/");
  const KnownFrame plain{.domain = "L", .name = "x\\y"};
  EXPECT_EQ(ExpressionFor(plain), "L@x\\y/");
  const KnownFrame lone{.name = "\\"};
  EXPECT_EQ(ExpressionFor(lone), "regex:^\\\\$/");
  const KnownFrame first{.domain = "\\@", .name = "x"};
  EXPECT_EQ(ExpressionFor(first), "regex:^\\\\\\@$@^x$/");
  const KnownFrame domain{.domain = "regex:L", .name = "x"};
  EXPECT_EQ(ExpressionFor(domain), "regex:^regex:L$@^x$/");
  const KnownFrame star{.name = "*", .kind = FrameKind::kStartEnd};
  EXPECT_EQ(ExpressionFor(star), "\\*");
}

TEST(NvtxTranslate, AnExcludeNeverSelectsMoreThanThePattern) {
  const auto exclude = [](std::string_view pattern) {
    return TranslatePattern(pattern, nullptr, NvtxPurpose::kExclude).value();
  };
  EXPECT_THAT(exclude("decode_*").expressions, ::testing::SizeIs(2));
  for (const std::string_view path : {"A/B", "regex:^A/", "A/**", "**/*"}) {
    EXPECT_THAT(exclude(path).expressions, IsEmpty()) << path;
    EXPECT_THAT(exclude(path).remarks, ::testing::SizeIs(1)) << path;
  }
}

TEST(NvtxTranslate, ManyRegionsBecomeOneExpression) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("kernel k @ L@d_{}\n", i);
  const Profile profile = BuildProfile(text);
  const auto known = KnownRegions(profile);
  EXPECT_THAT(Translate("L@d_*", &known),
              ElementsAre("regex:^L$@^d_.*$/", "regex:^L$@^d_.*$"));
  EXPECT_THAT(Translate("d_1?", &known), ::testing::SizeIs(10));
}

TEST(NvtxTranslate, ExpressionsThatNcuRefusesBecomeRemarks) {
  const auto translation = TranslatePattern("regex:\\x{100}", nullptr);
  ASSERT_TRUE(translation.ok());
  EXPECT_THAT(translation.value().expressions, IsEmpty());
  EXPECT_THAT(translation.value().remarks,
              Contains(HasSubstr("cannot be said in ncu's language: ncu "
                                 "refuses 'regex:.*@\\x{100}/'")));
}

TEST(NvtxTranslate, ARangeWithoutANameBecomesARemark) {
  const Profile profile = BuildProfile("kernel k @ A/\nkernel k @ A");
  const auto known = KnownRegions(profile);
  ASSERT_EQ(known.size(), 2U);
  const auto translation = TranslatePattern("regex:^$", &known);
  ASSERT_TRUE(translation.ok());
  EXPECT_THAT(translation.value().expressions, IsEmpty());
  EXPECT_THAT(translation.value().remarks,
              ElementsAre("ncu cannot select a range with an empty name"));
}

TEST(NvtxTranslate, SelectsANameInsideARangeWithoutAName) {
  const Profile profile = BuildProfile("kernel k @ A//B");
  const auto known = KnownRegions(profile);
  EXPECT_THAT(Translate("B", &known), ElementsAre("B/"));
  // No expression can have a path through it.
  EXPECT_THAT(Translate("A/*/B", &known), IsEmpty());
}

TEST(NvtxTranslate, SelectsANameWithABackslash) {
  EXPECT_THAT(Translate("C:\\x", nullptr),
              ElementsAre("regex:.*@^C:x$/", "regex:.*@^C:x$",
                          "regex:.*@^C:\\\\x$/", "regex:.*@^C:\\\\x$"));
}

TEST(NvtxTranslate, ListsAreSplitAndJoined) {
  EXPECT_THAT(SplitPatterns("A; B;A::A1;"), ElementsAre("A", "B", "A::A1"));
  const auto both =
      TranslatePatterns(std::vector<std::string>{"@A;A", "A"}, nullptr);
  ASSERT_TRUE(both.ok());
  EXPECT_THAT(both.value().expressions,
              ElementsAre("A/", "A", "regex:.*@^A$/", "regex:.*@^A$"));
  EXPECT_FALSE(
      TranslatePatterns(std::vector<std::string>{"A", "regex:("}, nullptr)
          .ok());
}

}  // namespace
}  // namespace rangefinder
