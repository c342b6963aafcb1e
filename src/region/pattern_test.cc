#include "region/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using Path = std::vector<FrameName>;

// The regions of a small program, by the names in the texts below.
const std::vector<Path>& Regions() {
  static const auto* const regions = new std::vector<Path>{
      {{"", "A"}},
      {{"", "A"}, {"", "A::A1"}},
      {{"", "B"}},
      {{"LLM", "prefill"}},
      {{"LLM", "prefill"}, {"LLM", "attn"}},
      {{"LLM", "decode_0"}},
      {{"", "B"}, {"LLM", "decode_1"}},
      {{"", "B"}, {"LLM", "decode_1"}, {"", "attn"}},
      {{"", "weird/na me,[x]@y*"}},
      {{"", ""}},
      {},
  };
  return *regions;
}

std::string Draw(const Path& path) {
  if (path.empty()) return "(unattributed)";
  std::string text;
  for (const FrameName& frame : path) {
    if (!text.empty()) text += " > ";
    if (!frame.domain.empty()) text.append(frame.domain).append("@");
    text.append("").append(frame.name);
  }
  return text;
}

// The regions that `pattern` matches, one a line.
std::string Matching(std::string_view text) {
  const Result<Pattern> pattern = Pattern::Parse(text);
  if (!pattern.ok()) return pattern.error().message();
  std::string matching;
  for (const Path& path : Regions()) {
    if (pattern.value().Matches(path)) matching += Draw(path) + "\n";
  }
  return matching;
}

TEST(Pattern, WithoutASlashIsTheRegionsOwnName) {
  EXPECT_EQ(Matching("A"), "A\n");
  EXPECT_EQ(Matching("A::A1"), "A > A::A1\n");
  EXPECT_EQ(Matching("attn"),
            "LLM@prefill > LLM@attn\n"
            "B > LLM@decode_1 > attn\n");
  EXPECT_EQ(Matching("a"), "");
  EXPECT_EQ(Matching("(unattributed)"), "(unattributed)\n");
}

TEST(Pattern, GlobsCoverTheWholeName) {
  EXPECT_EQ(Matching("decode_*"),
            "LLM@decode_0\n"
            "B > LLM@decode_1\n");
  EXPECT_EQ(Matching("decode_?"), Matching("decode_*"));
  EXPECT_EQ(Matching("decode_[1-9]"), "B > LLM@decode_1\n");
  EXPECT_EQ(Matching("decode_[!1-9]"), "LLM@decode_0\n");
  EXPECT_EQ(Matching("ecode_*"), "");
  EXPECT_EQ(Matching("[AB]"), "A\nB\n");
  EXPECT_EQ(Matching("[]A]"), "A\n");
  EXPECT_EQ(Matching("[^]A]"), "B\n");
  EXPECT_EQ(Matching("[!\\]A]"), "B\n");
  EXPECT_EQ(Matching("[a\\-C]"), "");
}

TEST(Pattern, AnUnclosedBracketIsOrdinary) {
  const Result<Pattern> pattern = Pattern::Parse("x[1*");
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE(pattern.value().Matches(Path{{"", "x[12"}}));
  EXPECT_FALSE(pattern.value().Matches(Path{{"", "x1"}}));
}

TEST(Pattern, ADomainIsNamedBeforeTheAtSign) {
  EXPECT_EQ(Matching("LLM@*"),
            "LLM@prefill\n"
            "LLM@prefill > LLM@attn\n"
            "LLM@decode_0\n"
            "B > LLM@decode_1\n");
  EXPECT_EQ(Matching("L*@attn"), "LLM@prefill > LLM@attn\n");
  EXPECT_EQ(Matching("@attn"), "B > LLM@decode_1 > attn\n");
  EXPECT_EQ(Matching("<default domain>@attn"), Matching("@attn"));
  EXPECT_EQ(Matching("X@*"), "");
}

TEST(Pattern, WithASlashIsTheWholePath) {
  EXPECT_EQ(Matching("A/A::A1"), "A > A::A1\n");
  EXPECT_EQ(Matching("LLM@prefill/LLM@attn"), "LLM@prefill > LLM@attn\n");
  EXPECT_EQ(Matching("LLM@prefill/attn"), "LLM@prefill > LLM@attn\n");
  EXPECT_EQ(Matching("decode_1/attn"), "");
  EXPECT_EQ(Matching("*/decode_1/attn"), "B > LLM@decode_1 > attn\n");
  EXPECT_EQ(Matching("A/"), "A\n");
  EXPECT_EQ(Matching("/decode_0"), "LLM@decode_0\n");
}

TEST(Pattern, TwoStarsAreAnyNumberOfFrames) {
  EXPECT_EQ(Matching("B/**"),
            "B\n"
            "B > LLM@decode_1\n"
            "B > LLM@decode_1 > attn\n");
  EXPECT_EQ(Matching("**/attn"), Matching("attn"));
  EXPECT_EQ(Matching("B/**/attn"), "B > LLM@decode_1 > attn\n");
  EXPECT_EQ(Matching("A/**/A"), "");
}

TEST(Pattern, RegularExpressionsAreFoundAnywhere) {
  EXPECT_EQ(Matching("regex:code_"),
            "LLM@decode_0\n"
            "B > LLM@decode_1\n");
  EXPECT_EQ(Matching("regex:^decode_[01]$"), Matching("regex:code_"));
  EXPECT_EQ(Matching("regex:^LLM$@t+"), "LLM@prefill > LLM@attn\n");
  EXPECT_EQ(Matching("regex:^$"), "\n");
}

TEST(Pattern, ARegularExpressionWithASlashIsFoundInThePath) {
  EXPECT_EQ(Matching("regex:^A/"), "A > A::A1\n");
  EXPECT_EQ(Matching("regex:^prefill/.*n$"), "LLM@prefill > LLM@attn\n");
  EXPECT_EQ(Matching("regex:^LLM@prefill/LLM@attn"),
            "LLM@prefill > LLM@attn\n");
  EXPECT_EQ(Matching("regex:(LLM@pre|q)"), "LLM@prefill\n");
}

TEST(Pattern, ACopiedNameMatchesWhateverItContains) {
  EXPECT_EQ(Matching("weird/na me,[x]@y*"), "weird/na me,[x]@y*\n");
  EXPECT_EQ(Matching("weird\\/na me,\\[x\\]\\@y\\*"), "weird/na me,[x]@y*\n");
  EXPECT_EQ(Matching("weird\\/*"), "weird/na me,[x]@y*\n");
}

TEST(Pattern, ASetMayHoldTheSignsOfOtherLanguages) {
  const auto matches = [](std::string_view set, std::string_view name) {
    return Pattern::Parse(set).value().Matches(Path{{"", name}});
  };
  for (const std::string_view sign : {"[", "^", "&", "~", "-", "/", "@"}) {
    const std::string set = "x[a" + std::string(sign) + "]";
    EXPECT_TRUE(matches(set, "x" + std::string(sign))) << set;
    EXPECT_TRUE(matches(set, "xa")) << set;
    EXPECT_FALSE(matches(set, "xb")) << set;
  }
  EXPECT_TRUE(matches("[a-c\\]]x", "]x"));
  EXPECT_TRUE(matches("[a-c\\]]x", "bx"));
  EXPECT_FALSE(matches("[a\\-c]x", "bx"));
  EXPECT_TRUE(matches("[a\\-c]x", "-x"));
  EXPECT_TRUE(matches("x[\\\\]", "x\\"));
}

TEST(Pattern, ErrorsTellTheFault) {
  EXPECT_EQ(Matching(""),
            "an empty pattern; a range with an empty name is regex:^$");
  EXPECT_EQ(Matching("regex:("), "the pattern 'regex:(': missing ): (");
  EXPECT_THAT(Matching("x[z-a]"),
              ::testing::HasSubstr("the pattern 'x[z-a]': invalid character"));
}

TEST(Pattern, BytesThatAreNotUtf8AreOneCharacterEach) {
  const Result<Pattern> any = Pattern::Parse("a?b");
  ASSERT_TRUE(any.ok());
  EXPECT_TRUE(any.value().Matches(Path{{"",
                                        "a\xFF"
                                        "b"}}));
  EXPECT_TRUE(any.value().Matches(Path{{"",
                                        "a\xC3\xA4"
                                        "b"}}));
  const Result<Pattern> exact = Pattern::Parse("a\xFF");
  ASSERT_TRUE(exact.ok());
  EXPECT_TRUE(exact.value().Matches(Path{{"", "a\xFF"}}));
  EXPECT_FALSE(exact.value().Matches(Path{{"", "a\xFE"}}));
}

}  // namespace
}  // namespace rangefinder
