#include "base/json_text.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/unpack.h"

namespace rangefinder {
namespace {

std::string Text(std::string_view text) {
  std::string out;
  AppendJsonText(text, out);
  return out;
}

std::string Number(double number) {
  std::string out;
  AppendJsonNumber(number, out);
  return out;
}

TEST(JsonText, EscapesEachByteThatIsNotPlainAtEachPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool plain =
        byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
    for (std::size_t at = 0; at < 19; ++at) {
      std::string text(19, 'a');
      text[at] = static_cast<char>(byte);
      EXPECT_EQ(Text(text) == '"' + text + '"', plain) << byte << ' ' << at;
    }
  }
}

TEST(JsonText, EscapesQuotesBackslashesAndControls) {
  EXPECT_EQ(Text(""), R"("")");
  EXPECT_EQ(Text("decode<4>"), R"("decode<4>")");
  EXPECT_EQ(Text("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(Text(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(Text("µs\n"), R"("µs\n")");
}

TEST(JsonText, EscapesUnseenCharacters) {
  EXPECT_EQ(Text("\u009b31m \u202etxt\u2066 \u200f\u2028 é€😀"),
            R"("\u009b31m \u202etxt\u2066 \u200f\u2028 é€😀")");
}

TEST(JsonDocument, OfALibraryGetsTheSameEscapes) {
  EXPECT_EQ(EscapedJson("{\n \"a\": \"\u009b\x7f\u202e é\"\n}"),
            "{\n \"a\": \"\\u009b\\u007f\\u202e é\"\n}");
  EXPECT_EQ(EscapedJson("[\"plain\"]\n"), "[\"plain\"]\n");
}

TEST(JsonText, IsAlwaysValidUtf8) {
  EXPECT_EQ(Text("a\xff\"b"), "\"a\uFFFD\\\"b\"");
  EXPECT_EQ(JsonDocument(nlohmann::json{"a\xff\x7f"}), "[\"a\uFFFD\\u007f\"]");
}

TEST(JsonText, NumbersReadBackEqual) {
  EXPECT_EQ(Number(3), "3");
  EXPECT_EQ(Number(-0.1), "-0.1");
  EXPECT_EQ(Number(1e300), "1e+300");
  EXPECT_EQ(Number(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(Number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(Number(std::nan("")), "null");
}

TEST(PackedText, UnpacksToTheText) {
  std::string text;
  unsigned random = 1;
  for (int i = 0; i < 1 << 20; ++i) {
    random = random * 1664525 + 1013904223;
    text += static_cast<char>(random >> 24);
  }
  for (const std::size_t size : {0, 1, 2, 3, 4, 5, 1000, 1 << 20}) {
    const std::string_view part = std::string_view(text).substr(0, size);
    const PackedText packed = Pack(part);
    EXPECT_EQ(packed.bytes, size);
    EXPECT_EQ(testing::UnpackText(
                  {{"bytes", packed.bytes}, {"content", packed.content}}),
              part)
        << size;
  }
}

// Nine bytes of gzip's header: no flags, time 0, the fastest level.
TEST(PackedText, HasNoTimeInItsHeader) {
  EXPECT_TRUE(Pack("text").content.starts_with("H4sIAAAAAAAE"));
  EXPECT_EQ(Pack("text").content, Pack("text").content);
}

}  // namespace
}  // namespace rangefinder
