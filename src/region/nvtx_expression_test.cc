#include "region/nvtx_expression.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rangefinder::ncu {
namespace {

// The parsed expression, or the error:
//
//   push/pop of LLM: [ <A> * <B> ]      [ ] bottom and top, * + what lies
//   between start/end: <S1> <S2>                of the default domain
std::string Read(std::string_view text) {
  const Result<NvtxExpression> result = ParseNvtxExpression(text);
  if (!result.ok()) return result.error().message();
  const NvtxExpression& expression = result.value();
  std::string drawn = expression.form == NvtxExpression::Form::kPushPop
                          ? "push/pop"
                          : "start/end";
  if (expression.domain)
    drawn += fmt::format(" of {}", expression.domain->text());
  drawn += ":";
  if (expression.bottom) drawn += " [";
  for (const NvtxStep& step : expression.steps) {
    drawn += fmt::format(" <{}>", step.name.text());
    if (step.gap == NvtxStep::Gap::kAnyFrames) drawn += " *";
    if (step.gap == NvtxStep::Gap::kOneFrame) drawn += " +";
  }
  for (const NvtxName& name : expression.names)
    drawn += fmt::format(" <{}>", name.text());
  if (expression.top) drawn += " ]";
  if (expression.regex) drawn += " (regex)";
  return drawn;
}

TEST(NvtxExpression, WithASlashOrBracketSelectsPushPopRanges) {
  EXPECT_EQ(Read("A/"), "push/pop: <A>");
  EXPECT_EQ(Read("A/B"), "push/pop: <A> <B>");
  EXPECT_EQ(Read("[A"), "push/pop: [ <A>");
  EXPECT_EQ(Read("A]"), "push/pop: <A> ]");
  EXPECT_EQ(Read("[A/*/B]"), "push/pop: [ <A> * <B> ]");
  EXPECT_EQ(Read("LLM@[p/+/q/*"), "push/pop of LLM: [ <p> + <q> *");
  EXPECT_EQ(Read("A/*/+/B"), "push/pop: <A> + <B>");
  EXPECT_EQ(Read("[A]"), "push/pop: [ <A]>");
}

TEST(NvtxExpression, WithoutThemSelectsStartEndRanges) {
  EXPECT_EQ(Read("S1"), "start/end: <S1>");
  EXPECT_EQ(Read("LLM@S1,S2"), "start/end of LLM: <S1> <S2>");
  EXPECT_EQ(Read("S1+S2"), "start/end: <S1+S2>");
}

TEST(NvtxExpression, ABackslashEscapesSignsOnly) {
  EXPECT_EQ(Read("x\\@y\\,z\\/\\[\\]\\*\\+"), "start/end: <x@y,z/[]*+>");
  EXPECT_EQ(Read("a\\b\\"), "start/end: <a\\b\\>");
  EXPECT_EQ(Read("A\\]"), "start/end: <A]>");
  EXPECT_EQ(Read("\\@"), "start/end: <@>");
  EXPECT_EQ(Read("L\\@M@A/"), "push/pop of L@M: <A>");
}

TEST(NvtxExpression, BracketsOfARegularExpressionBelongToTheWholeText) {
  EXPECT_EQ(Read("regex:R[0-9]x/"), "push/pop: <R[0-9]x> (regex)");
  EXPECT_EQ(Read("regex:A/B]"), "push/pop: <A> <B> ] (regex)");
  EXPECT_EQ(Read("regex:[A/B"), "push/pop: [ <A> <B> (regex)");
  EXPECT_EQ(Read("regex:S[12/]"), "start/end: <S[12]> (regex)");
  EXPECT_EQ(Read("regex:L.*@S1,S2"), "start/end of L.*: <S1> <S2> (regex)");
  EXPECT_EQ(Read("regex:a\\/b"), "start/end: <a\\/b> (regex)");
  EXPECT_EQ(Read("regex:/"), "push/pop: (regex)");
  EXPECT_EQ(Read("regex:"), "start/end: <> (regex)");
}

TEST(NvtxExpression, TextsThatNcuRefusesAreErrorsWithAPlace) {
  const auto refused = [](std::string_view text, std::string_view why) {
    EXPECT_EQ(Read(text), fmt::format("ncu refuses '{}' (Invalid "
                                      "configuration): {}",
                                      text, why));
  };
  refused("", "no range is named, at character 1");
  refused("/", "no range is named, at character 1");
  refused("@A", "no domain is named before @, at character 1");
  refused("LLM@", "no range is named after @, at character 5");
  refused("a@b@c", "an expression speaks of one domain only, at character 4");
  refused("L@*/A", "a quantifier stands before every name, at character 3");
  refused("regex:a@b(", "missing ): b(, at character 9");
  refused("regex:A/x(/", "missing ): x(, at character 9");
}

TEST(NvtxName, UsesStdRegexWhereRe2LacksTheSyntax) {
  const auto matches = [](std::string_view regex, std::string_view name) {
    const Result<NvtxName> parsed = NvtxName::Regex(regex);
    EXPECT_TRUE(parsed.ok() && parsed.value().is_regex()) << regex;
    return parsed.ok() && parsed.value().Matches(name);
  };
  EXPECT_TRUE(matches("A(?!B)", "xAC"));
  EXPECT_FALSE(matches("A(?!B)", "xAB"));
  EXPECT_TRUE(matches("(a|b)\\1", "xbb"));
  EXPECT_FALSE(matches("(a|b)\\1", "ab"));
  // Names are bytes, with newlines; case counts.
  EXPECT_TRUE(matches("^na..ve$", "na\xC3\xAFve"));
  EXPECT_TRUE(matches("a.b", "a\nb"));
  EXPECT_FALSE(matches("a", "A"));
  // std::regex would compute numbers of any length and need more states than
  // memory.
  EXPECT_TRUE(matches("(?=A{2})", "xAA"));
  EXPECT_TRUE(matches("(?=1234567890123)", "1234567890123"));
  for (const std::string_view huge :
       {"(?=A{1234567890})", "(?=A{1,88888888888888888888})",
        "(a)\\8888888888888888888888"})
    EXPECT_FALSE(NvtxName::Regex(huge).ok()) << huge;
  // std::regex would recurse once for each character.
  EXPECT_TRUE(matches("(?=x)", std::string(2047, 'a') + "x"));
  EXPECT_FALSE(matches("(?=x)", std::string(2048, 'a') + "x"));
}

}  // namespace
}  // namespace rangefinder::ncu
