#include "ingest/summary/summary_ranks.h"

#include <string>

#include <gtest/gtest.h>

#include "ingest/summary/summary_reader.h"
#include "summary/merge.h"
#include "tests/support/many_ranks.h"
#include "tests/support/random_summary.h"

namespace rangefinder {
namespace {

using testing::ManyRanks;

// Four ranks of one tree.
std::string Job(const ManyRanks& job) {
  SummaryMerger merger;
  Ranks ranks;
  for (std::uint32_t rank = 0; rank < job.ranks(); ++rank) {
    merger.Add(job.Of(rank));
    Ranks one = job.RecordOf(rank);
    ranks.trees = std::move(one.trees);
    ranks.records.push_back(std::move(one.records[0]));
  }
  return testing::SummaryBytes(merger.Take(), ranks);
}

TEST(ReadRanks, KeepsAllRegionsBelowTheLimit) {
  const ManyRanks job(4, 50);
  const std::string bytes = Job(job);
  Notes notes;
  const Ranks ranks =
      ReadRanks(OpenSummary(bytes).value(), {}, notes, "job.rfsum");
  ASSERT_EQ(ranks.trees.size(), 1U);
  EXPECT_EQ(ranks.trees[0].nodes.size(), 51U);
  ASSERT_EQ(ranks.records.size(), 4U);
  EXPECT_EQ(ranks.records[3].rank, 3);
  EXPECT_EQ(RankBytes(ranks.records[3]), RankBytes(job.RecordOf(3).records[0]));
  EXPECT_TRUE(notes.empty());
}

TEST(ReadRanks, KeepsTheLongestRegionsBeyondTheLimitWithANote) {
  const ManyRanks job(4, 50);
  const std::string bytes = Job(job);
  Notes notes;
  const Ranks ranks = ReadRanks(OpenSummary(bytes).value(), {.regions = 80},
                                notes, "job.rfsum");
  ASSERT_EQ(ranks.trees.size(), 1U);
  const RankTree& tree = ranks.trees[0];
  ASSERT_EQ(tree.nodes.size(), 20U);
  EXPECT_EQ(tree.nodes[1].name, ManyRanks::RegionName(0));
  const Ranks whole = job.RecordOf(2);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    EXPECT_TRUE(i == 0 || tree.nodes[i].parent < i);
    // Each with its own numbers.
    std::size_t at = 0;
    while (whole.trees[0].nodes[at].name != tree.nodes[i].name) ++at;
    EXPECT_EQ(ranks.records[2].regions[i].compute_ns,
              whole.records[0].regions[at].compute_ns);
  }
  ASSERT_EQ(notes.all().size(), 1U);
  EXPECT_EQ(notes.all()[0].text,
            "the 20 of 51 regions that took the most time are compared on 4 "
            "ranks");
}

TEST(ReadRanks, KeepsTheFirstCollectivesOfEachRankAndCountsTheOthers) {
  Ranks ranks;
  ranks.trees.emplace_back();
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    RankRecord record{.rank = rank, .regions = {{}}, .kinds = {"AllReduce"}};
    for (std::uint64_t i = 1; i <= 10; ++i)
      record.collectives.push_back({.start_ns = i, .end_ns = i + 1});
    ranks.records.push_back(std::move(record));
  }
  const std::string bytes = testing::SummaryBytes(Summary{}, ranks);
  Notes notes;
  const Ranks read = ReadRanks(OpenSummary(bytes).value(), {.collectives = 8},
                               notes, "job.rfsum");
  EXPECT_EQ(read.records[1].collectives.size(), 4U);
  EXPECT_EQ(read.records[1].collectives[3].start_ns, 4U);
  EXPECT_EQ(read.records[1].lost_collectives, 6U);
  EXPECT_EQ(notes.all().size(), 1U);
}

TEST(SummaryReader, ReadsTheTotalsAndTheFirstRanksOfACutFile) {
  const ManyRanks job(4, 10);
  const std::string bytes = Job(job);
  Notes notes;
  const auto profile = ReadRangefinderSummary(
      {.path = "job.rfsum",
       .bytes = std::string_view(bytes).substr(0, bytes.size() - 200)},
      notes);
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(profile.value().measurements.size(), 10U * ManyRanks::kKernels);
  EXPECT_EQ(profile.value().ranks.records.size(), 3U);
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes.all().back().kind, "truncated_file");
}

TEST(SummaryReader, GivesAMeasurementForAllLaunchesOfAKernel) {
  const ManyRanks job(3, 2);
  const std::string bytes = Job(job);
  Notes notes;
  const auto read =
      ReadRangefinderSummary({.path = "job.rfsum", .bytes = bytes}, notes);
  ASSERT_TRUE(read.ok());
  const Profile& profile = read.value();
  ASSERT_EQ(profile.measurements.size(), 6U);
  for (const Measurement& m : profile.measurements) {
    ASSERT_GT(m.folded, 0U);
    const FoldedLaunches& folded = profile.folded[m.folded - 1];
    EXPECT_EQ(folded.launches % 3, 0U);
    EXPECT_LE(folded.min_ns, folded.max_ns);
    EXPECT_GE(m.end_ns, folded.launches * folded.min_ns);
    EXPECT_EQ(profile.Name(profile.devices[0].name), "NVIDIA H200");
    EXPECT_EQ(m.device, 0);
  }
  ASSERT_EQ(profile.visits.size(), 2U);
  EXPECT_EQ(profile.visits[0].instances, 3 * ManyRanks::Instances(0));
}

}  // namespace
}  // namespace rangefinder
