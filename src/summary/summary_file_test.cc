#include "summary/summary_file.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "summary/bodies.h"
#include "tests/support/random_summary.h"

namespace rangefinder {
namespace {

using testing::RandomSummary;
using testing::SummaryBytes;

Summary One() {
  return RandomSummary(5).Make();
}

TEST(SummaryFile, HasItsRanksWithTheirTrees) {
  RandomSummary random(9);
  const Ranks ranks = random.MakeRanks();
  const std::string bytes = SummaryBytes(One(), ranks);
  const auto file = OpenSummary(bytes);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(file.value().ranks.size(), 1U);
  const StoredRank& stored = file.value().ranks[0];
  EXPECT_EQ(stored.head.key, KeyOf(ranks.records[0]));
  const auto tree = ReadTree(file.value().trees.at(stored.head.tree));
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree.value().nodes.size(), ranks.trees[0].nodes.size());
  const auto record = ReadRank(stored.section, tree.value().nodes.size());
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(RankBytes(record.value()), RankBytes(ranks.records[0]));
}

TEST(SummaryFile, WithATreeOutOfOrderIsRefused) {
  const auto read = [](const std::vector<std::uint32_t>& parents) {
    RankTree tree;
    tree.nodes.clear();
    for (const std::uint32_t parent : parents)
      tree.nodes.push_back({.name = "x", .parent = parent});
    std::ostringstream out;
    WriteSummaryMagic(out);
    const std::string body = TreeBytes(tree);
    WriteSection(out, kTreeSection, Sha256(body), body);
    WriteSection(out, kEndSection, {}, {});
    const std::string bytes = out.str();
    return ReadTree(FindSections(bytes).value().all[0]).ok();
  };
  EXPECT_TRUE(read({0}));
  EXPECT_TRUE(read({0, 0, 1, 1, 0}));
  EXPECT_FALSE(read({0, 0, 0, 1})) << "what is inside follows at once";
  EXPECT_FALSE(read({0, 1}));
  EXPECT_FALSE(read({}));
}

TEST(SummaryFile, CutAnywhereIsDamaged) {
  const std::string bytes = SummaryBytes(One(), RandomSummary(9).MakeRanks());
  std::size_t with_totals = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto file = OpenSummary(bytes.substr(0, size));
    if (!file.ok()) continue;
    EXPECT_NE(file.value().damage, "") << size;
    ++with_totals;
  }
  EXPECT_GT(with_totals, 0U) << "a file that is cut late has its totals";
}

TEST(SummaryFile, WithAChangedBitIsNeverWhole) {
  const std::string bytes = SummaryBytes(One(), RandomSummary(9).MakeRanks());
  for (std::size_t i = 8; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    const auto file = OpenSummary(changed);
    EXPECT_TRUE(!file.ok() || !file.value().damage.empty()) << i;
  }
}

TEST(SummaryFile, OfALaterVersionIsNotSupported) {
  std::string bytes = SummaryBytes(One());
  bytes[6] = 2;
  const auto file = OpenSummary(bytes);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code(), ErrorCode::kUnsupported);
}

TEST(SummaryFile, WithAnUnknownSectionIsReadWithoutIt) {
  std::ostringstream out;
  WriteSummaryMagic(out);
  WriteSection(out, "NEW ", "head", "what a later version knows");
  WriteSection(out, kAboutSection, {}, AboutBytes(One()));
  WriteSection(out, kTotalsSection, {}, TotalsBytes(One()));
  WriteSection(out, kEndSection, {}, {});
  const std::string bytes = out.str();
  const auto file = OpenSummary(bytes);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.value().unknown, 1U);
  EXPECT_EQ(file.value().damage, "");
  EXPECT_EQ(SummaryBytes(file.value().summary), SummaryBytes(One()));
}

TEST(SummaryFile, WithANoteOfAnImpossibleKindIsRefused) {
  Summary summary;
  summary.notes.push_back({.kind = "lost_9", .count = 1});
  EXPECT_TRUE(OpenSummary(SummaryBytes(summary)).ok());
  for (const char* kind : {"", "_a", "9", "Lost", "a b", "a\n"}) {
    summary.notes[0].kind = kind;
    EXPECT_FALSE(OpenSummary(SummaryBytes(summary)).ok()) << kind;
  }
}

// Merging would put unattributed launches of different names under the first
// name.
TEST(SummaryFile, WithANameOfUnattributedLaunchesIsRefused) {
  Summary summary;
  summary.texts.emplace_back("name");
  summary.regions.push_back({.unattributed = true});
  EXPECT_TRUE(OpenSummary(SummaryBytes(summary)).ok());
  summary.regions.back().name = 1;
  EXPECT_FALSE(OpenSummary(SummaryBytes(summary)).ok());
}

TEST(SummaryFile, WithoutTotalsIsRefused) {
  std::ostringstream out;
  WriteSummaryMagic(out);
  WriteSection(out, kAboutSection, {}, AboutBytes(One()));
  WriteSection(out, kEndSection, {}, {});
  EXPECT_FALSE(OpenSummary(out.str()).ok());
  EXPECT_FALSE(OpenSummary("RFSUM").ok());
  EXPECT_FALSE(OpenSummary("").ok());
}

TEST(SummaryFile, WithABodyThatClaimsATerabyteIsRefused) {
  // A body of a few bytes that claims a terabyte.
  std::ostringstream out;
  WriteSection(out, kTotalsSection, {}, "few");
  std::string bytes = out.str();
  SummarySection section{.kind = kTotalsSection,
                         .stored = std::string_view(bytes).substr(28),
                         .size = std::uint64_t{1} << 40};
  EXPECT_FALSE(BodyOf(section).ok());
}

}  // namespace
}  // namespace rangefinder
