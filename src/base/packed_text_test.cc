// zlib unpacks packed text; equal texts give equal bytes.

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/json_text.h"

namespace rangefinder {
namespace {

std::string FromBase64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return bytes;
}

std::string Unpack(std::string_view packed) {
  std::string bytes = FromBase64(packed);
  std::string text(1 << 22, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U) << "one gzip member and nothing after it";
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
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
    EXPECT_EQ(Unpack(packed.content), part) << size;
  }
}

TEST(PackedText, HasNeitherTimeNorSystemInItsHeader) {
  // Ten bytes of header: no flags, time 0, the fastest level, unknown system.
  EXPECT_EQ(FromBase64(Pack("text").content).substr(0, 10),
            std::string("\x1f\x8b\x08\0\0\0\0\0\x04\xff", 10));
  EXPECT_EQ(Pack("text").content, Pack("text").content);
}

}  // namespace
}  // namespace rangefinder
