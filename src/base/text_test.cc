#include "base/text.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using Words = std::vector<std::string>;

TEST(JoinedAsList, HasCommasAndAWordBeforeTheLast) {
  EXPECT_EQ(JoinedAsList(Words{}, "or"), "");
  EXPECT_EQ(JoinedAsList(Words{"a"}, "or"), "a");
  EXPECT_EQ(JoinedAsList(Words{"a", "b"}, "or"), "a or b");
  EXPECT_EQ(JoinedAsList(Words{"a", "b", "c"}, "and"), "a, b and c");
}

TEST(FirstListed, CountsTheOthers) {
  EXPECT_EQ(FirstListed(Words{"a", "b"}, 2), "a, b");
  EXPECT_EQ(FirstListed(Words{"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

TEST(MarkupText, EscapesWhatXmlAndHtmlCannotContain) {
  EXPECT_EQ(MarkupText("<a b='c'>\"d\" & e\x1b"),
            "&lt;a b=&apos;c&apos;&gt;&quot;d&quot; &amp; e\\x1b");
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(ParseNumber<int>("-12"), -12);
  EXPECT_EQ(ParseNumber<double>("1.5e3"), 1500);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "99999999999"})
    EXPECT_EQ(ParseNumber<int>(text), std::nullopt) << text;
}

TEST(UtcText, IsEmptyWithoutAYearOfFourDigits) {
  EXPECT_EQ(UtcText(0, "%Y-%m-%dT%H:%M:%SZ"), "1970-01-01T00:00:00Z");
  EXPECT_EQ(UtcText(1'800'000'000, "%Y%m%d-%H%M%S"), "20270115-080000");
  EXPECT_EQ(UtcText(253'402'300'799, "%Y"), "9999");
  EXPECT_EQ(UtcText(253'402'300'800, "%Y"), "");
  EXPECT_EQ(UtcText(-100'000'000'000, "%Y"), "");
  EXPECT_EQ(UtcText(std::numeric_limits<std::time_t>::max(), "%Y"), "");
}

TEST(Wrapped, BreaksAtBlanksButNotBeforeAUnit) {
  EXPECT_THAT(Wrapped("at stake 895.5 ms (30 %)", 12),
              ::testing::ElementsAre("at stake", "895.5 ms", "(30 %)"));
  EXPECT_THAT(Wrapped("a 1 2 3 4 5 6", 6),
              ::testing::ElementsAre("a 1 2", "3 4 5", "6"));
  EXPECT_THAT(Wrapped("", 12), ::testing::ElementsAre(""));
}

}  // namespace
}  // namespace rangefinder
