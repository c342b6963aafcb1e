#include "summary/merge_files.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/write_file.h"
#include "tests/support/random_summary.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using testing::RandomSummary;
using testing::SummaryBytes;

std::string BytesOf(std::uint32_t seed) {
  RandomSummary random(seed);
  const Summary summary = random.Make();
  return SummaryBytes(summary, random.MakeRanks());
}

// A summary of rank `seed` with another end; with `content`, its content is
// that of another rank.
std::string StateOf(std::uint32_t seed, std::uint64_t until,
                    std::uint32_t content = 0) {
  const Summary self = RandomSummary(seed).Make();
  RandomSummary random(content == 0 ? seed + static_cast<std::uint32_t>(until)
                                    : content);
  Summary summary = random.Make();
  Ranks ranks = random.MakeRanks();
  summary.sources = self.sources;
  summary.sources[0].until_ns = until;
  const RankKey& key = self.sources[0].key;
  ranks.records[0].rank = key.rank;
  ranks.records[0].host = key.host;
  ranks.records[0].pid = key.pid;
  ranks.records[0].started_ns = key.started_ns;
  return SummaryBytes(summary, ranks);
}

fs::path Put(const TempDir& folder, const std::string& name,
             const std::string& bytes) {
  EXPECT_TRUE(WriteFile(folder / name, bytes).ok());
  return folder / name;
}

class MergeFiles : public ::testing::Test {
 protected:
  std::vector<fs::path> Ranks(std::uint32_t count) {
    std::vector<fs::path> files;
    for (std::uint32_t i = 0; i < count; ++i)
      files.push_back(Put(folder_, std::to_string(i) + ".rfsum", BytesOf(i)));
    return files;
  }
  MergeOutcome Merge(const std::vector<fs::path>& files,
                     const std::string& name = "all") {
    auto outcome = MergeSummaries(files, folder_ / name, false);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message();
    return outcome.ok() ? outcome.value() : MergeOutcome{};
  }
  std::string Read(const std::string& name = "all") {
    return ReadFile(folder_ / name).value();
  }

  TempDir folder_;
};

// 20 ranks stay apart; of 90 ranks, intermediate merges add the totals.
TEST_F(MergeFiles, GiveTheSameBytesInAnyTreeAndOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    std::vector<fs::path> files = Ranks(round % 2 == 0 ? 20 : 90);
    EXPECT_EQ(Merge(files).ranks, files.size());
    const std::string whole = Read();
    std::ranges::shuffle(files, random);
    std::vector<fs::path> halves;
    for (std::size_t i = 0; i < files.size();) {
      const std::size_t end = std::min<std::size_t>(
          files.size(), i + 1 + random() % (files.size() - 1));
      const std::string name = "part" + std::to_string(i);
      Merge({files.begin() + static_cast<std::ptrdiff_t>(i),
             files.begin() + static_cast<std::ptrdiff_t>(end)},
            name);
      halves.push_back(folder_ / name);
      i = end;
    }
    Merge(halves);
    EXPECT_EQ(Read(), whole);
  }
}

TEST_F(MergeFiles, CountTheSameSummaryOnce) {
  std::vector<fs::path> files = Ranks(6);
  Merge(files);
  const std::string whole = Read();
  Merge({files[0], files[1]}, "two");
  files.push_back(files[3]);
  files.push_back(folder_ / "two");
  const MergeOutcome outcome = Merge(files);
  EXPECT_EQ(Read(), whole);
  EXPECT_EQ(outcome.merged, 6U);
  EXPECT_EQ(outcome.twice, 2U) << "3 again, and both parts of two";
  EXPECT_TRUE(outcome.replaced.empty());
  std::ranges::reverse(files);
  Merge(files);
  EXPECT_EQ(Read(), whole);
}

TEST_F(MergeFiles, CountEachRankOnceWhereFilesShareRanks) {
  const std::vector<fs::path> files = Ranks(5);
  Merge(files);
  const std::string whole = Read();
  Merge({files[0], files[1], files[2]}, "three");
  Merge({files[2], files[3]}, "two");
  const MergeOutcome outcome =
      Merge({folder_ / "two", folder_ / "three", files[4]});
  EXPECT_EQ(outcome.ranks, 5U);
  EXPECT_TRUE(outcome.left_out.empty());
  EXPECT_EQ(Read(), whole);
}

TEST_F(MergeFiles, LeaveOutALaterSummaryOfARankInInseparableTotals) {
  const std::vector<fs::path> files = Ranks(70);
  Merge({files.begin(), files.begin() + 66}, "most");
  Merge({files[65], files[66]}, "two");
  const MergeOutcome outcome = Merge({folder_ / "two", folder_ / "most"});
  EXPECT_EQ(outcome.ranks, 67U);
  EXPECT_EQ(outcome.twice, 0U);
  EXPECT_TRUE(outcome.left_out.empty()) << "two can be taken apart";

  Put(folder_, "later", StateOf(3, 900));
  const MergeOutcome later = Merge({folder_ / "later", folder_ / "most"});
  EXPECT_EQ(later.ranks, 66U);
  EXPECT_EQ(later.left_out,
            std::vector<std::string>{
                (folder_ / "later").string() +
                ": an earlier summary of rank 3 is part of totals that cannot "
                "be taken apart"});
  EXPECT_FALSE(MergeSummaries(std::vector{folder_ / "later", folder_ / "most"},
                              folder_ / "strict", true)
                   .ok());
  EXPECT_FALSE(fs::exists(folder_ / "strict"));

  const MergeOutcome again = Merge({folder_ / "most", files[7]});
  EXPECT_EQ(again.twice, 1U) << "most knows the content of rank 7";
}

TEST_F(MergeFiles, CountTheLatestStateOfARankInAnyTreeAndOrder) {
  std::vector<fs::path> files = Ranks(6);
  std::vector<fs::path> latest = files;
  for (const std::uint32_t rank : {1U, 3U, 4U}) {
    for (const std::uint64_t until : {500U, 700U, 600U}) {
      const std::string name =
          std::to_string(rank) + "." + std::to_string(until);
      files.push_back(Put(folder_, name, StateOf(rank, until)));
      if (until == 700) latest[rank] = files.back();
    }
  }
  // Two summaries of rank 0 with the same latest end: always the same one
  // counts.
  files.push_back(Put(folder_, "other", StateOf(0, 800, 90)));
  files.push_back(Put(folder_, "another", StateOf(0, 800, 91)));
  std::vector<std::string> wholes;
  for (const char* name : {"other", "another"}) {
    latest[0] = folder_ / name;
    Merge(latest);
    wholes.push_back(Read());
  }
  const MergeOutcome outcome = Merge(files);
  EXPECT_EQ(outcome.ranks, 6U);
  EXPECT_EQ(outcome.twice, 0U);
  EXPECT_TRUE(outcome.left_out.empty());
  EXPECT_EQ(outcome.replaced.size(), 11U);
  const std::string whole = Read();
  EXPECT_TRUE(whole == wholes[0] || whole == wholes[1]);
  EXPECT_FALSE(MergeSummaries(files, folder_ / "strict", true).ok());
  EXPECT_FALSE(fs::exists(folder_ / "strict"));

  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    std::vector<fs::path> left = files;
    for (int step = 0; left.size() > 1; ++step) {
      std::ranges::shuffle(left, random);
      const std::size_t take =
          std::min<std::size_t>(left.size(), 2 + random() % 3);
      const std::string name = "step" + std::to_string(step);
      const auto rest = left.end() - static_cast<std::ptrdiff_t>(take);
      Merge({rest, left.end()}, name);
      left.erase(rest, left.end());
      left.push_back(folder_ / name);
    }
    ASSERT_EQ(ReadFile(left[0]).value(), whole) << round;
  }
}

TEST_F(MergeFiles, LeaveOutAFileWhoseTreeHasAnotherDigest) {
  const std::vector<fs::path> files = Ranks(3);
  Merge({files[0], files[2]});
  const std::string without = Read();
  // File 1 has the tree of file 2 under its own digest; all checksums are
  // right.
  std::ostringstream forged;
  WriteSummaryMagic(forged);
  const std::string bytes = BytesOf(1);
  const std::string other = BytesOf(2);
  const auto opened = OpenSummary(other);
  ASSERT_TRUE(opened.ok());
  const std::string body = BodyOf(opened.value().trees.begin()->second).value();
  const auto sections = FindSections(bytes);
  for (const SummarySection& section : sections.value().all) {
    if (section.kind == kTreeSection)
      WriteSection(forged, kTreeSection, section.head, body);
    else
      forged << section.whole;
  }
  WriteSection(forged, kEndSection, {}, {});
  Put(folder_, "1.rfsum", forged.str());
  for (const bool first : {true, false}) {
    std::vector<fs::path> order = files;
    if (first) std::ranges::rotate(order, order.begin() + 1);
    const MergeOutcome outcome = Merge(order);
    EXPECT_EQ(outcome.merged, 2U);
    ASSERT_EQ(outcome.left_out.size(), 1U);
    EXPECT_TRUE(outcome.left_out[0].starts_with(files[1].string()));
    EXPECT_EQ(Read(), without);
  }
  EXPECT_EQ(OpenSummary(forged.str()).error().code(), ErrorCode::kCorrupt);
}

TEST_F(MergeFiles, MergeTheRestWhereFilesAreMissingOrCut) {
  std::vector<fs::path> files = Ranks(4);
  Merge({files[0], files[1]});
  const std::string whole = Read();
  const std::string bytes = BytesOf(2);
  Put(folder_, "2.rfsum", bytes.substr(0, bytes.size() - 10));
  Put(folder_, "3.rfsum", "no summary");
  files.push_back(folder_ / "missing");
  const MergeOutcome outcome = Merge(files);
  EXPECT_EQ(outcome.merged, 2U);
  EXPECT_EQ(outcome.left_out.size(), 3U);
  EXPECT_EQ(Read(), whole);
}

TEST_F(MergeFiles, FailWithStrictWhereAFileIsMissing) {
  std::vector<fs::path> files = Ranks(2);
  files.push_back(folder_ / "missing");
  EXPECT_FALSE(MergeSummaries(files, folder_ / "all", true).ok());
  EXPECT_FALSE(fs::exists(folder_ / "all"));
}

TEST_F(MergeFiles, FailWhereNoFileIsLeft) {
  const std::vector<fs::path> files = {folder_ / "missing",
                                       Put(folder_, "x", "x")};
  const auto outcome = MergeSummaries(files, folder_ / "all", false);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code(), ErrorCode::kCorrupt);
  EXPECT_FALSE(fs::exists(folder_ / "all"));
}

TEST_F(MergeFiles, KeepBothStartsOfARankAndNameIt) {
  RandomSummary random(1);
  Summary again = random.Make();
  again.sources[0].key.started_ns += 5;
  Put(folder_, "again", SummaryBytes(again));
  std::vector<fs::path> files = Ranks(3);
  files.push_back(folder_ / "again");
  const MergeOutcome outcome = Merge(files);
  EXPECT_EQ(outcome.ranks, 4U);
  EXPECT_EQ(outcome.restarted,
            std::vector<std::string>{"rank 1: 2 processes or starts"});
}

}  // namespace
}  // namespace rangefinder
