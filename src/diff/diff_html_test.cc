#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "diff/writers.h"
#include "tests/support/unpack.h"

namespace rangefinder {
namespace {

std::string PageOf(const Comparison& comparison) {
  std::ostringstream page;
  WriteDiffHtml({.comparison = comparison, .crossings = {}}, page);
  return page.str();
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(DiffHtml, HoldsTheDocumentInAPageThatFetchesNothing) {
  Comparison comparison{.base_sources = {"old"}, .other_sources = {"new"}};
  comparison.regions.emplace_back();
  comparison.regions.push_back({.path = "decode", .frame = "decode"});
  const std::string page = PageOf(comparison);
  EXPECT_THAT(page, ::testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(page, ::testing::HasSubstr("default-src 'none'; script-src "));
  EXPECT_THAT(page, ::testing::HasSubstr("rangefinder.diff/1"));
  EXPECT_THAT(page, ::testing::HasSubstr("decode"));
  EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("/*DIFF*/")));
}

TEST(DiffHtml, NoNameEndsItsElement) {
  const std::string hostile = "</script><!--<script>alert(1)&amp;";
  Comparison comparison{.base_sources = {hostile}, .other_sources = {hostile}};
  comparison.regions.emplace_back();
  comparison.regions.push_back(
      {.path = hostile, .base_path = hostile, .frame = hostile});
  comparison.regions.back().facts.push_back({.text = hostile});
  comparison.caveats.push_back({.text = hostile});
  const std::string page = PageOf(comparison);
  EXPECT_EQ(Count(page, "</script>"),
            2U);  // the document's, and the page's own
  EXPECT_EQ(Count(page, "<!--"), 0U);
  EXPECT_EQ(Count(page, "alert(1)&"), 0U);
  EXPECT_THAT(page, ::testing::HasSubstr("\\u003c/script>\\u003c!--"));
}

// A page that is large is slow to send and to attach.
TEST(DiffHtml, PacksALargeDocument) {
  Comparison comparison{.base_sources = {"old"}, .other_sources = {"new"}};
  for (int i = 0; i < 3000; ++i)
    comparison.regions.push_back({.path = "decode", .frame = "decode"});
  const std::string page = PageOf(comparison);
  EXPECT_LT(page.size(), 200'000U);
  std::ostringstream document;
  WriteDiffJson({.comparison = comparison, .crossings = {}}, document);
  EXPECT_GT(document.str().size(), 1'000'000U);
  const std::string start = R"(type="application/json">)";
  const std::size_t from = page.find(start) + start.size();
  const auto held = nlohmann::json::parse(
      page.substr(from, page.find("</script>", from) - from));
  EXPECT_EQ(testing::Unpack(held["packed"]),
            nlohmann::json::parse(document.str()));
}

}  // namespace
}  // namespace rangefinder
