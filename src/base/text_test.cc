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

}  // namespace
}  // namespace rangefinder
