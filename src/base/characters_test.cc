#include "base/characters.h"

#include <string>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

TEST(PrintableText, ShowsWhatIsNotSeenButForWhatIsKept) {
  const std::string text = "a\n\t\x1b[1m\u009b\u202e\u2069\xff é";
  EXPECT_EQ(PrintableBut("", text), R"(a\n\t\x1b[1m\x9b\u202e\u2069)"
                                    "\uFFFD é");
  EXPECT_EQ(PrintableBut("\n\t", text),
            "a\n\t"
            R"(\x1b[1m\x9b\u202e\u2069)"
            "\uFFFD é");
}

}  // namespace
}  // namespace rangefinder
