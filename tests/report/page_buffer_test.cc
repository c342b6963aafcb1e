#include "writers/html/page_buffer.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/unpack.h"

namespace rangefinder {
namespace {

std::string Written(const std::string& text, std::size_t large,
                    std::size_t beside = 0) {
  std::ostringstream out;
  PageBuffer buffer(out, large);
  std::ostream json(&buffer);
  for (const char c : text) json << c;
  json.flush();
  buffer.Finish(beside);
  return out.str();
}

TEST(PageBuffer, KeepsASmallDocumentAsItIsButForWhatWouldEndIt) {
  EXPECT_EQ(Written("", 100), "");
  EXPECT_EQ(Written("{\"name\":\"</script>\"}", 100),
            "{\"name\":\"\\u003c/script>\"}");
}

TEST(PageBuffer, PacksASmallDocumentOfALargePage) {
  const auto held = nlohmann::json::parse(Written("[1]", 100, 97));
  EXPECT_EQ(testing::Unpack(held["packed"]), nlohmann::json({1}));
}

TEST(PageBuffer, PacksALargeOneInParts) {
  std::string document = "[";
  for (int i = 0; i < 10'000; ++i) document += "{\"how\":\"estimated\"},";
  document += "0]";
  const std::string packed = Written(document, 100'000);
  EXPECT_LT(packed.size(), document.size() / 50);
  const auto held = nlohmann::json::parse(packed)["packed"];
  EXPECT_EQ(held["encoding"], "gzip+base64");
  EXPECT_EQ(held["content"].size(), 3U);
  EXPECT_EQ(testing::Unpack(held), nlohmann::json::parse(document));
}

}  // namespace
}  // namespace rangefinder
