// The sums over many ranks are known to the nanosecond.

#include "tests/support/many_ranks.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/write_file.h"
#include "summary/merge_files.h"
#include "tests/support/random_summary.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using testing::ManyRanks;

TEST(ManyRanks, MergeToTheKnownTotals) {
  constexpr std::uint32_t kRanks = 100, kRegions = 50;
  const ManyRanks job(kRanks, kRegions);
  const TempDir folder;
  std::vector<std::filesystem::path> files;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    files.push_back(folder / std::to_string(rank));
    ASSERT_TRUE(WriteFile(files.back(), testing::SummaryBytes(
                                            job.Of(rank), job.RecordOf(rank)))
                    .ok());
  }
  ASSERT_TRUE(MergeSummaries(files, folder / "all", false).ok());
  const std::string bytes = ReadFile(folder / "all").value();
  const auto opened = OpenSummary(bytes);
  ASSERT_TRUE(opened.ok());
  const Summary& all = opened.value().summary;
  EXPECT_EQ(opened.value().ranks.size(), kRanks);
  EXPECT_EQ(opened.value().trees.size(), 1U) << "the ranks share it";
  EXPECT_EQ(all.sources.size(), kRanks);
  ASSERT_EQ(all.rows.size(), kRegions * ManyRanks::kKernels);
  for (const SummaryRow& row : all.rows) {
    const std::string& name = all.texts[all.regions[row.region].name];
    std::uint32_t region = 0;
    while (ManyRanks::RegionName(region) != name) ++region;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> times;
    Wide sum = 0, squares = 0;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      for (std::uint64_t i = 0; i < ManyRanks::Launches(region); ++i) {
        const std::uint64_t ns = ManyRanks::Ns(rank, region, row.kernel, i);
        times.emplace_back(ns, rank);
        sum += ns;
        squares += Wide{ns} * ns;
      }
    }
    std::ranges::sort(times);
    EXPECT_EQ(row.launches, times.size());
    EXPECT_EQ(row.time.count, times.size());
    EXPECT_TRUE(row.time.sum == sum && row.time.squares == squares);
    EXPECT_EQ(row.time.min, times.front().first);
    EXPECT_EQ(row.time.min_rank,
              static_cast<std::int32_t>(times.front().second));
    EXPECT_EQ(row.time.max, times.back().first);
    const double median = row.time.ToSpread().Quantile(0.5).value_or(0);
    const auto exact = static_cast<double>(times[(times.size() - 1) / 2].first);
    EXPECT_NEAR(median, exact, exact / 100);
  }
}

}  // namespace
}  // namespace rangefinder
