#include "base/text.h"

#include <string>
#include <vector>

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

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(ParseNumber<int>("-12"), -12);
  EXPECT_EQ(ParseNumber<double>("1.5e3"), 1500);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "99999999999"})
    EXPECT_EQ(ParseNumber<int>(text), std::nullopt) << text;
}

}  // namespace
}  // namespace rangefinder
