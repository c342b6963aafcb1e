// Matching of collectives over hand-made ranks; times in microseconds.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/activity_sweep.h"
#include "ranks/middle.h"
#include "ranks/rank_analysis.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kBegin = 1'700'000'000'000'000'000;

struct Times {
  double start = 0, end = 0;
};

// A rank with all its collectives in the region "step" and one channel.
RankRecord RankOf(std::int32_t rank, std::string host,
                  const std::vector<Times>& collectives, double clock_us = 0) {
  RankRecord record{.rank = rank, .host = std::move(host), .pid = 100};
  record.regions.resize(2);
  record.regions[0].instances = 1;
  record.regions[1].instances = collectives.size();
  record.kinds = {"AllReduce"};
  for (const Times& one : collectives) {
    const auto ns = [&](double us) {
      return kBegin +
             static_cast<std::uint64_t>(std::llround((us + clock_us) * 1000));
    };
    record.collectives.push_back(
        {.region = 1, .start_ns = ns(one.start), .end_ns = ns(one.end)});
  }
  return record;
}

Ranks JobOf(std::vector<RankRecord> records) {
  Ranks ranks;
  ranks.trees.push_back({.nodes = {{}, {.name = "step"}}});
  ranks.records = std::move(records);
  return ranks;
}

// The waiting of each rank in "step", in us; -1: not known.
std::vector<double> Waiting(const RankAnalysis& analysis) {
  std::vector<double> waiting;
  for (const auto& rank : analysis.waiting_ns)
    waiting.push_back(
        rank.size() > 1 && rank[1] ? std::round(*rank[1] / 100) / 10 : -1);
  return waiting;
}

// Collectives that end at irregular times, which `seed` gives; the rank arrives
// `before` their end.
std::vector<Times> Series(std::size_t count, int seed, double before) {
  std::vector<Times> times;
  double end = 1000;
  for (std::size_t i = 0; i < count; ++i) {
    end +=
        500 + static_cast<double>(
                  (i * 7919 + static_cast<std::size_t>(seed) * 104729) % 401);
    times.push_back({end - before - static_cast<double>(i % 5), end});
  }
  return times;
}

TEST(Matching, SplitsACollectiveAtTheLatestStart) {
  const RankAnalysis analysis =
      AnalyzeRanks(JobOf({RankOf(0, "a", {{100, 200}, {300, 350}}),
                          RankOf(1, "a", {{170, 200}, {310, 350}}),
                          RankOf(2, "a", {{120, 201}, {340, 351}})}));
  EXPECT_THAT(Waiting(analysis), ElementsAre(110, 30, 50));
  ASSERT_EQ(analysis.regions.size(), 2U);
  ASSERT_TRUE(analysis.regions[1].transfer.has_value());
  EXPECT_EQ(analysis.regions[1].waiting->max_at, 0U);
  EXPECT_EQ(analysis.regions[1].waiting->min_at, 1U);
  EXPECT_DOUBLE_EQ(analysis.regions[1].transfer->median, 40e3);
  EXPECT_THAT(analysis.notes, IsEmpty());
  EXPECT_THAT(analysis.clocks, IsEmpty());
}

TEST(Matching, TiesTheClocksOfHostsByTheEnds) {
  const RankAnalysis analysis =
      AnalyzeRanks(JobOf({RankOf(0, "a", Series(40, 1, 100)),
                          RankOf(1, "b", Series(40, 1, 30), 1e6)}));
  EXPECT_THAT(Waiting(analysis), ElementsAre(70 * 40, 0));
  ASSERT_EQ(analysis.clocks.size(), 2U);
  EXPECT_NEAR(analysis.clocks[1].offset_ns, -1e9, 1);
  EXPECT_NEAR(analysis.clocks[1].residual_ns, 0, 1);
}

TEST(Matching, CorrectsSmallClockShiftsOfProcessesOnOneHost) {
  const RankAnalysis analysis =
      AnalyzeRanks(JobOf({RankOf(0, "a", Series(40, 1, 100)),
                          RankOf(1, "a", Series(40, 1, 30), 25)}));
  EXPECT_THAT(Waiting(analysis), ElementsAre(70 * 40, 0));
}

TEST(Matching, NotesClocksThatAreNotTied) {
  const RankAnalysis analysis = AnalyzeRanks(JobOf(
      {RankOf(0, "a", Series(40, 1, 100)), RankOf(1, "a", Series(40, 1, 50)),
       RankOf(2, "b", Series(40, 2, 30))}));
  EXPECT_THAT(Waiting(analysis), ElementsAre(50 * 40, 0, -1));
  EXPECT_THAT(analysis.notes,
              ElementsAre(HasSubstr("no communicator spans all 2 hosts"),
                          HasSubstr("rank 2: 40 communication kernels match no "
                                    "other rank")));
}

TEST(Matching, SeparatesCommunicatorsOfEqualKinds) {
  const RankAnalysis analysis = AnalyzeRanks(JobOf(
      {RankOf(0, "a", Series(40, 1, 100)), RankOf(1, "a", Series(40, 2, 90)),
       RankOf(2, "a", Series(40, 1, 40)), RankOf(3, "a", Series(40, 2, 30))}));
  EXPECT_THAT(Waiting(analysis), ElementsAre(60 * 40, 60 * 40, 0, 0));
}

TEST(Matching, SeparatesCommunicatorsByTheirNamesFromNccl) {
  // Ranks 0 and 2, and 1 and 3; all end at the same times.
  const auto job = [](bool known) {
    std::vector<RankRecord> records;
    for (int rank = 0; rank < 4; ++rank) {
      records.push_back(
          RankOf(rank, "a", Series(40, 1, rank < 2 ? 100 : 50 - 10 * rank)));
      if (known) records.back().kinds[0] += rank % 2 == 0 ? " abc" : " def";
    }
    return AnalyzeRanks(JobOf(std::move(records)));
  };
  EXPECT_THAT(Waiting(job(true)), ElementsAre(70 * 40, 80 * 40, 0, 0));
  EXPECT_NE(Waiting(job(false)), Waiting(job(true)));
}

// Of two ranks, in which every fourth transfer takes three times as long; its
// size and that of the others, as text.
std::vector<LatePart> SlowTransfersOf(const std::string& large,
                                      const std::string& usual) {
  std::vector<RankRecord> records;
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<Times> times;
    for (std::size_t i = 0; i < 40; ++i) {
      const double end = 1000.0 * static_cast<double>(i + 1);
      times.push_back({end - (i % 4 == 3 ? 300 : 100) - 5 * rank, end});
    }
    RankRecord record = RankOf(rank, "a", times);
    record.kinds = {"AllReduce abc" + usual, "AllReduce abc" + large};
    for (std::size_t i = 3; i < 40; i += 4) record.collectives[i].kind = 1;
    records.push_back(std::move(record));
  }
  return AnalyzeRanks(JobOf(std::move(records))).slow_network;
}

TEST(SlowTransfers, HaveTheSizeRatioIfNcclReportsSizes) {
  const auto larger = SlowTransfersOf(" 4096", " 1024");
  ASSERT_EQ(larger.size(), 1U);
  EXPECT_NEAR(larger[0].ns, 200e3, 1);
  EXPECT_DOUBLE_EQ(larger[0].share, 0.25);
  EXPECT_DOUBLE_EQ(larger[0].size_ratio, 4);
  EXPECT_DOUBLE_EQ(SlowTransfersOf(" 1024", " 1024").at(0).size_ratio, 1);
  EXPECT_DOUBLE_EQ(SlowTransfersOf("", " 1024").at(0).size_ratio, 0);
  EXPECT_DOUBLE_EQ(SlowTransfersOf(" x", " y").at(0).size_ratio, 0);
}

TEST(Matching, MatchesACutRankUpToItsEnd) {
  std::vector<Times> cut = Series(40, 1, 30);
  cut.resize(10);
  const RankAnalysis analysis = AnalyzeRanks(
      JobOf({RankOf(0, "a", Series(40, 1, 100)), RankOf(1, "a", cut)}));
  EXPECT_THAT(Waiting(analysis), ElementsAre(70 * 10, 0));
  EXPECT_THAT(analysis.notes,
              ElementsAre(HasSubstr("rank 1: fewer collectives")));
}

TEST(Matching, MatchesARankWithoutItsBeginningByTime) {
  std::vector<Times> late = Series(40, 1, 30);
  late.erase(late.begin(), late.begin() + 15);
  late.erase(late.begin() + 5);
  const RankAnalysis analysis = AnalyzeRanks(
      JobOf({RankOf(0, "a", Series(40, 1, 100)), RankOf(1, "a", late)}));
  EXPECT_THAT(Waiting(analysis), ElementsAre(70 * 24, 0));
}

TEST(Matching, NotesMissingAndDuplicateRanks) {
  std::vector<RankRecord> records{RankOf(0, "a", {}), RankOf(3, "a", {}),
                                  RankOf(3, "b", {})};
  records[0].world = 20;
  records[0].notes = {"its trace was cut"};
  const RankAnalysis analysis = AnalyzeRanks(JobOf(std::move(records)));
  EXPECT_THAT(
      analysis.notes,
      ElementsAre("18 of 20 ranks are missing: 1, 2, 4, 5, 6, 7, 8, 9 and 10 "
                  "more",
                  HasSubstr("several processes have the number of rank 3"),
                  "rank 0: its trace was cut"));
}

TEST(Matching, GivesOnlyRegionsForOneRank) {
  const RankAnalysis analysis =
      AnalyzeRanks(JobOf({RankOf(0, "a", Series(5, 1, 100))}));
  EXPECT_EQ(analysis.regions.size(), 2U);
  EXPECT_THAT(analysis.late, IsEmpty());
  EXPECT_THAT(analysis.notes, IsEmpty());
  EXPECT_EQ(AnalyzeRanks({}).regions.size(), 1U);
}

TEST(Groups, AreRanksOfOneTreeWithSimilarTimes) {
  Ranks ranks;
  ranks.trees.push_back({.nodes = {{}, {.name = "stage0"}}});
  ranks.trees.push_back({.nodes = {{}, {.name = "stage1"}}});
  const auto add = [&](std::uint32_t tree, std::uint64_t compute) {
    RankRecord& record = ranks.records.emplace_back();
    record.rank = static_cast<std::int32_t>(ranks.records.size()) - 1;
    record.tree = tree;
    record.regions.resize(2);
    for (RankRegion& region : record.regions) region.compute_ns = compute;
  };
  add(0, 1000), add(1, 1000), add(0, 1020), add(0, 1300), add(1, 990);
  std::string drawn;
  for (const RankGroup& group : AnalyzeRanks(ranks).groups) {
    drawn += fmt::format("tree {} typical {}:", group.tree, group.typical);
    for (const std::size_t record : group.records)
      drawn += fmt::format(" {}", record);
    drawn += "\n";
  }
  EXPECT_EQ(drawn,
            "tree 0 typical 0: 0 2\n"
            "tree 1 typical 4: 1 4\n"
            "tree 0 typical 3: 3\n");
}

TEST(ActivitySweeps, SplitTimeByKindOfWork) {
  ActivitySweep sweep;
  sweep.Add(ActivityClass::kCompute, 10, 20);
  sweep.Add(ActivityClass::kCopy, 12, 30);
  sweep.Add(ActivityClass::kCommunication, 15, 25);
  sweep.Add(ActivityClass::kCompute, 28, 28);
  sweep.Add(ActivityClass::kCompute, 40, 35);
  sweep.Finish();
  EXPECT_EQ(sweep.compute_ns, 5U);
  EXPECT_EQ(sweep.overlapped_ns, 5U);
  EXPECT_EQ(sweep.exposed_ns, 5U);
  EXPECT_EQ(sweep.copy_ns, 5U);
}

TEST(NearestNumbers, ComeNearestFirst) {
  const ByNumber numbers{{1, 10}, {4, 40}, {5, 50}, {9, 90}};
  EXPECT_THAT(Nearest(numbers, 4.4, 3), ElementsAre(40, 50, 10));
  EXPECT_THAT(Nearest(numbers, 100, 2), ElementsAre(90, 50));
  EXPECT_THAT(Nearest(ByNumber{}, 1, 2), IsEmpty());
}

// A rank of `Series`, with so much compute before each collective.
RankRecord Computing(std::int32_t rank, const std::vector<Times>& collectives,
                     double compute_us) {
  RankRecord record = RankOf(rank, "a", collectives);
  record.regions[1].compute_ns = static_cast<std::uint64_t>(
      compute_us * 1000 * static_cast<double>(collectives.size()));
  record.regions[1].kernels = collectives.size();
  return record;
}

// The late rank of a pair in which rank 1 arrives later by so much.
std::vector<LateRank> LateBy(double us, double compute_us) {
  return AnalyzeRanks(
             JobOf({Computing(0, Series(40, 1, 100), compute_us),
                    Computing(1, Series(40, 1, 100 - us), compute_us)}))
      .late;
}

TEST(LateRanks, AreNotNamedForAFewMicroseconds) {
  EXPECT_THAT(LateBy(4, 400), IsEmpty());
  ASSERT_EQ(LateBy(8, 400).size(), 1U);
  EXPECT_EQ(LateBy(8, 400)[0].record, 1U);
}

TEST(LateRanks, AreNotNamedForASmallShareOfTheTime) {
  EXPECT_THAT(LateBy(8, 4000), IsEmpty());
  EXPECT_EQ(LateBy(80, 4000).size(), 1U);
}

// In a window, ranges are open whose kernels ran after its end, and one rank's
// window ends earlier.
TEST(LateRanks, HaveTheirReasonIfOneRanksWindowEndsEarlier) {
  std::vector<Times> cut = Series(48, 1, 100);
  cut.resize(28);
  std::vector<RankRecord> records{Computing(0, Series(48, 1, 300), 1000),
                                  Computing(1, Series(48, 1, 300), 1000),
                                  Computing(2, cut, 1200)};
  for (RankRecord& record : records) record.regions[1].instances += 12;
  const RankAnalysis analysis = AnalyzeRanks(JobOf(std::move(records)));
  ASSERT_EQ(analysis.late.size(), 1U);
  const LateRank& late = analysis.late[0];
  EXPECT_EQ(late.record, 2U);
  EXPECT_NEAR(late.late_ns, 200e3, 1);
  ASSERT_FALSE(late.parts.empty());
  EXPECT_EQ(late.parts[0].reason, LateReason::kCompute);
  EXPECT_NEAR(late.parts[0].ns, 200e3, 1e3);
  EXPECT_NEAR(late.parts[0].ratio, 1.2, 1e-3);
}

// The first eight of 48 collectives are NCCL's own, before the program's steps.
RankRecord WithStartUp(std::int32_t rank, double before, double compute_us) {
  RankRecord record = Computing(rank, Series(48, 1, before), compute_us);
  record.regions.insert(record.regions.begin() + 1, RankRegion{.instances = 8});
  record.regions[2].instances = 40;
  for (std::size_t i = 8; i < 48; ++i) record.collectives[i].region = 2;
  record.regions[0].compute_ns = record.regions[2].compute_ns;
  return record;
}

TEST(LateRanks, OfTheStartUpHaveNoReasonInLaterSteps) {
  Ranks ranks = JobOf({WithStartUp(0, 300, 1000), WithStartUp(1, 100, 1200)});
  ranks.trees[0].nodes = {{}, {.name = "NCCL@ncclAllReduce"}, {.name = "step"}};
  const RankAnalysis analysis = AnalyzeRanks(ranks);
  ASSERT_EQ(analysis.late.size(), 2U);
  EXPECT_EQ(analysis.late[0].region, 2U);
  EXPECT_EQ(analysis.late[0].parts[0].reason, LateReason::kCompute);
  EXPECT_EQ(analysis.late[1].region, 1U);
  ASSERT_EQ(analysis.late[1].parts.size(), 1U);
  EXPECT_EQ(analysis.late[1].parts[0].reason, LateReason::kUnknown);
}

}  // namespace
}  // namespace rangefinder
