#include "writers/html/page_buffer.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using testing::StartsWith;

std::string Written(const std::string& text, std::size_t large) {
  std::ostringstream out;
  PageBuffer buffer(out, large);
  std::ostream json(&buffer);
  for (const char c : text) json << c;
  json.flush();
  buffer.Finish();
  return out.str();
}

TEST(PageBuffer, KeepsASmallDocumentAsItIsButForWhatWouldEndIt) {
  EXPECT_EQ(Written("", 100), "");
  EXPECT_EQ(Written("{\"name\":\"</script>\"}", 100),
            "{\"name\":\"\\u003c/script>\"}");
}

TEST(PageBuffer, PacksALargeOneByItsRepetitions) {
  std::string document = "[";
  for (int i = 0; i < 10'000; ++i) document += "{\"how\":\"estimated\"},";
  document += "0]";
  const std::string packed = Written(document, 1000);
  EXPECT_THAT(
      packed,
      StartsWith("{\"packed\":{\"encoding\":\"gzip+base64\",\"bytes\":" +
                 std::to_string(document.size()) + ",\"content\":\""));
  EXPECT_LT(packed.size(), document.size() / 50);
  EXPECT_TRUE(packed.ends_with("\"}}"));
}

}  // namespace
}  // namespace rangefinder
