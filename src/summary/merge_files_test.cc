#include "summary/merge_files.h"

#include <algorithm>
#include <random>
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

TEST_F(MergeFiles, InAnyTreeAndOrderGivesTheSameBytes) {
  std::vector<fs::path> files = Ranks(20);
  EXPECT_EQ(Merge(files).ranks, 20U);
  const std::string whole = Read();
  std::mt19937 random(1);
  for (int round = 0; round < 5; ++round) {
    std::ranges::shuffle(files, random);
    std::vector<fs::path> halves;
    for (std::size_t i = 0; i < files.size();) {
      const std::size_t end =
          std::min<std::size_t>(files.size(), i + 1 + random() % 6);
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

TEST_F(MergeFiles, GivenTwiceCountsOnce) {
  std::vector<fs::path> files = Ranks(6);
  Merge(files);
  const std::string whole = Read();
  Merge({files[0], files[1]}, "two");
  files.push_back(files[3]);
  files.push_back(folder_ / "two");
  const MergeOutcome outcome = Merge(files);
  EXPECT_EQ(Read(), whole);
  EXPECT_EQ(outcome.merged, 5U) << "both of two at once, and the other four";
  EXPECT_EQ(outcome.twice, 3U);
  std::ranges::reverse(files);
  Merge(files);
  EXPECT_EQ(Read(), whole);
}

TEST_F(MergeFiles, ThatShareSomeOfTheirRanksCannotBothCount) {
  const std::vector<fs::path> files = Ranks(5);
  Merge({files[0], files[1], files[2]}, "three");
  Merge({files[2], files[3]}, "two");
  const MergeOutcome outcome =
      Merge({folder_ / "two", folder_ / "three", files[4]});
  EXPECT_EQ(outcome.merged, 2U);
  ASSERT_EQ(outcome.left_out.size(), 1U);
  EXPECT_NE(outcome.left_out[0].find("two: 1 of its 2 processes"),
            std::string::npos)
      << outcome.left_out[0];
}

TEST_F(MergeFiles, OfWhichSomeAreMissingOrCutMergesTheRest) {
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

TEST_F(MergeFiles, StrictlyFailsWhereOneIsMissing) {
  std::vector<fs::path> files = Ranks(2);
  files.push_back(folder_ / "missing");
  EXPECT_FALSE(MergeSummaries(files, folder_ / "all", true).ok());
  EXPECT_FALSE(fs::exists(folder_ / "all"));
}

TEST_F(MergeFiles, OfWhichNothingIsLeftIsAnError) {
  const std::vector<fs::path> files = {folder_ / "missing",
                                       Put(folder_, "x", "x")};
  const auto outcome = MergeSummaries(files, folder_ / "all", false);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code(), ErrorCode::kCorrupt);
  EXPECT_FALSE(fs::exists(folder_ / "all"));
}

TEST_F(MergeFiles, OfARankThatWasRestartedKeepsBothAndSaysSo) {
  RandomSummary random(1);
  Summary again = random.Make();
  again.sources[0].started_ns += 5;
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
