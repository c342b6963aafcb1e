#include "base/characters.h"

#include <string>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

TEST(PrintableIn, WritesOutTheCharactersThatThePlaceCannotContain) {
  const std::string text = "a\n\t\r\x1b[1m\u009b\u202e\u2069\uffff\xff é";
  EXPECT_EQ(PrintableIn(TextPlace::kLine, text),
            R"(a\n\t\r\x1b[1m\x9b\u202e\u2069\uffff)"
            "\uFFFD é");
  EXPECT_EQ(PrintableIn(TextPlace::kMessage, text),
            "a\n\t"
            R"(\r\x1b[1m\x9b\u202e\u2069\uffff)"
            "\uFFFD é");
  EXPECT_EQ(PrintableIn(TextPlace::kCsv, text),
            "a\n\t\r"
            R"(\x1b[1m\x9b\u202e\u2069\uffff)"
            "\uFFFD é");
}

// XML 1.0, section 2.2; an attribute has no line ends and tabs.
TEST(MayContain, OfALineIsACharOfXmlOnly) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    const bool is_char = (code >= 0x20 && code <= 0xD7FF) ||
                         (code >= 0xE000 && code <= 0xFFFD) || code >= 0x10000;
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (is_char || is_surrogate) continue;
    EXPECT_FALSE(MayContain(TextPlace::kLine, code)) << unsigned{code};
  }
  EXPECT_TRUE(MayContain(TextPlace::kLine, U'é'));
  EXPECT_TRUE(MayContain(TextPlace::kLine, 0xFFFD));
}

}  // namespace
}  // namespace rangefinder
