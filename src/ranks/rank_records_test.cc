#include "ranks/rank_records.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "region/tree.h"
#include "tests/support/read_trace.h"

namespace rangefinder {
namespace {

Ranks Read(std::string_view text) {
  const Profile profile = testing::ReadTraceText(text);
  Notes notes;
  return RanksOf(profile, BuildRegionTree(profile, {}, notes));
}

std::string PathOfNode(const RankTree& tree, std::uint32_t node) {
  if (node == 0) return "whole";
  const RankTree::Node& at = tree.nodes[node];
  std::string name = at.domain.empty() ? at.name : at.domain + "@" + at.name;
  return at.parent == 0 ? name : PathOfNode(tree, at.parent) + "/" + name;
}

// One line per region, times in microseconds.
std::string Drawn(const Ranks& ranks) {
  std::string text;
  for (const RankRecord& record : ranks.records) {
    text += fmt::format("rank {} pid {}\n", record.rank, record.pid);
    for (std::uint32_t i = 0; i < record.regions.size(); ++i) {
      const RankRegion& r = record.regions[i];
      text += fmt::format(
          "  {}: {}x {} kernels wall {} compute {} overlapped {} exposed {} "
          "copy {} idle {} latency {}\n",
          PathOfNode(ranks.trees[record.tree], i), r.instances, r.kernels,
          r.wall_ns / 1000, r.compute_ns / 1000, r.overlapped_ns / 1000,
          r.exposed_ns / 1000, r.copy_ns / 1000, r.idle_ns / 1000,
          r.latency_ns / 1000);
    }
    for (const Collective& c : record.collectives) {
      text += fmt::format("  {} in {} channel {} at {}\n", record.kinds[c.kind],
                          PathOfNode(ranks.trees[record.tree], c.region),
                          c.channel, (c.end_ns - c.start_ns) / 1000);
    }
  }
  return text;
}

TEST(RankRecords, HaveTheNumberOfRanksFromTheLauncher) {
  Profile profile = testing::ReadTraceText(R"(
process pid=7 rank=3
10 push step
12 launch 1
14 pop
kernel gemm 20-30 of=1
)");
  profile.artifacts.at(0).versions.emplace_back("world", "8");
  Notes notes;
  const Ranks ranks = RanksOf(profile, BuildRegionTree(profile, {}, notes));
  ASSERT_EQ(ranks.records.size(), 1);
  EXPECT_EQ(ranks.records[0].world, 8);
}

TEST(RankRecords, HaveComputeCommunicationAndIdleTimesByRegion) {
  EXPECT_EQ(Drawn(Read(R"(
process pid=7 rank=3
10 push step
11 push mlp
12 launch 1
13 launch 2
14 pop
15 launch 3
16 launch 4
100 pop
kernel gemm 20-30 of=1
kernel gemm 32-40 of=2
kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 36-60 of=3 stream=8
kernel norm 50-55 of=4
)")),
            "rank 3 pid 7\n"
            "  whole: 1x 4 kernels wall 90 compute 14 overlapped 9 exposed 15 "
            "copy 0 idle 2 latency 82\n"
            "  step: 1x 4 kernels wall 90 compute 14 overlapped 9 exposed 15 "
            "copy 0 idle 2 latency 82\n"
            "  step/mlp: 1x 2 kernels wall 3 compute 18 overlapped 0 exposed 0 "
            "copy 0 idle 2 latency 27\n"
            "  AllReduce in step channel 0 at 24\n");
}

// The kinds and channels of one rank's collectives, all on one stream.
std::string KindsOf(std::string_view trace) {
  const Ranks ranks = Read(trace);
  std::string text;
  for (const Collective& c : ranks.records.at(0).collectives)
    text +=
        fmt::format("{} on {}\n", ranks.records[0].kinds[c.kind], c.channel);
  return text;
}

TEST(RankRecords, HaveTheCommunicatorAndTheSizeFromNccl) {
  EXPECT_EQ(KindsOf(R"(
process pid=7
10 push NCCL@ncclAllReduce
11 message abc 1000
12 launch 1
13 pop NCCL
14 push NCCL@ncclGroupStart
15 pop NCCL
16 push NCCL@ncclAllReduce
17 message def 4096
18 pop NCCL
19 push NCCL@ncclGroupEnd
20 launch 2
21 pop NCCL
22 launch 3
kernel ncclDevKernel_AllReduce 30-31 of=1
kernel ncclDevKernel_AllReduce 32-33 of=2
kernel ncclDevKernel_AllReduce 34-35 of=3
)"),
            "AllReduce abc 992 on 0\n"  // sizes in steps
            "AllReduce def 4096 on 1\n"
            "AllReduce on 2\n");
}

TEST(RankRecords, HaveFactsOfAGroupOnlyIfAllItsCallsAgree) {
  EXPECT_EQ(KindsOf(R"(
process pid=7
10 push NCCL@ncclAllReduce
11 message abc 64
12 pop NCCL
13 push NCCL@ncclAllReduce
14 message abc 128
15 pop NCCL
16 push NCCL@ncclGroupEnd
17 pop NCCL
18 push NCCL@ncclGroupEnd
19 launch 1
20 pop NCCL
21 push NCCL@ncclAllReduce
22 message abc 64
23 pop NCCL
24 push NCCL@ncclAllReduce
25 message def 64
26 pop NCCL
27 push NCCL@ncclGroupEnd
28 launch 2
29 launch 3
30 pop NCCL
31 push NCCL@ncclGroupEnd
32 launch 4
33 pop NCCL
34 push NCCL@ncclSend
35 message abc 64
36 launch 5
37 pop NCCL
38 push NCCL@ncclAllReduce
39 message abc 64
40 push gemm
41 launch 6
42 pop
43 pop NCCL
kernel ncclDevKernel_AllReduce 50-51 of=1
kernel ncclDevKernel_AllReduce 52-53 of=2
kernel ncclDevKernel_AllReduce 54-55 of=3
kernel ncclDevKernel_AllReduce 56-57 of=4
kernel ncclDevKernel_SendRecv 58-59 of=5
kernel ncclDevKernel_AllReduce 60-61 of=6
)"),
            "AllReduce abc on 0\n"
            "AllReduce on 1\n"
            "AllReduce on 1\n"
            "AllReduce on 1\n"
            "SendRecv abc on 0\n"
            "AllReduce on 1\n");
}

TEST(RankRecords, CountNoIdleTimeBetweenInstances) {
  EXPECT_EQ(Drawn(Read(R"(
process pid=7
10 push step
12 launch 1
13 launch 2
14 pop
50 push step
51 launch 3
52 launch 4
53 pop
kernel gemm 20-30 of=1
kernel gemm 31-33 of=2
kernel gemm 60-70 of=3
kernel gemm 75-80 of=4
)")),
            "rank -1 pid 7\n"
            "  whole: 1x 4 kernels wall 70 compute 27 overlapped 0 exposed 0 "
            "copy 0 idle 33 latency 58\n"
            "  step: 2x 4 kernels wall 7 compute 27 overlapped 0 exposed 0 "
            "copy 0 idle 6 latency 58\n");
}

// As in a captured graph, where the kernels of several regions take turns.
TEST(RankRecords, CountNoIdleTimeWhileAnotherRegionWorks) {
  EXPECT_EQ(Drawn(Read(R"(
process pid=7
10 push a
12 launch 1
13 launch 2
14 pop
thread 2
10 push b
12 launch 3
14 pop
kernel gemm 20-30 of=1
kernel gemm 32-55 of=3
kernel gemm 60-70 of=2
)")),
            "rank -1 pid 7\n"
            "  whole: 1x 3 kernels wall 60 compute 43 overlapped 0 exposed 0 "
            "copy 0 idle 7 latency 75\n"
            "  a: 1x 2 kernels wall 4 compute 20 overlapped 0 exposed 0 copy 0 "
            "idle 7 latency 55\n"
            "  b: 1x 1 kernels wall 4 compute 23 overlapped 0 exposed 0 copy 0 "
            "idle 0 latency 20\n");
}

TEST(RankRecords, CountTheTimeOfCopiesWithoutConcurrentKernels) {
  EXPECT_EQ(Drawn(Read(R"(
process pid=7
10 push step
12 launch 1
13 launch 2
14 pop
kernel gemm 20-30 of=1
copy 25-37 of=2 bytes=64
)")),
            "rank -1 pid 7\n"
            "  whole: 1x 1 kernels wall 27 compute 10 overlapped 0 exposed 0 "
            "copy 7 idle 0 latency 8\n"
            "  step: 1x 1 kernels wall 4 compute 10 overlapped 0 exposed 0 "
            "copy 7 idle 0 latency 8\n");
}

TEST(RankRecords, HaveTheClockRateIfCyclesWereSampled) {
  const Ranks ranks = Read(R"(
process pid=7
sampling 0 interval=1000 metrics=other,sm__cycles_elapsed.avg
1000 push step
1001 launch 1
1002 pop
1003 push fast
1004 launch 2
1005 pop
kernel gemm 2000-4000 of=1
kernel gemm 5000-7000 of=2
sample 0 1000-2000 1,100000
sample 0 2000-3000 1,1500000
sample 0 3000-4500 1,2250000
sample 0 4500-8000 1,6300000
)");
  ASSERT_EQ(ranks.records.size(), 1U);
  const std::vector<RankRegion>& regions = ranks.records[0].regions;
  ASSERT_EQ(regions.size(), 3U);
  EXPECT_NEAR(regions[0].sm_clock_hz.value_or(0), 1.65e9, 1);
  EXPECT_NEAR(regions[1].sm_clock_hz.value_or(0), 1.8e9, 1);  // fast
  EXPECT_NEAR(regions[2].sm_clock_hz.value_or(0), 1.5e9, 1);
}

TEST(RankRecords, HaveEqualTreesForAnyOrderOfRegions) {
  const Ranks one = Read(
      "process pid=1 rank=0\n1 push B\n2 pop\n3 push A\n"
      "4 push B\n5 pop\n6 pop\n");
  const Ranks other = Read(
      "process pid=2 rank=1\n1 push A\n2 push B\n3 pop\n"
      "4 pop\n5 push B\n6 pop\n");
  ASSERT_EQ(one.trees.size(), 1U);
  ASSERT_EQ(other.trees.size(), 1U);
  const auto nodes = [](const Ranks& ranks) {
    std::string text;
    for (const RankTree::Node& node : ranks.trees[0].nodes)
      text += fmt::format("{}<{} ", node.name, node.parent);
    return text;
  };
  EXPECT_EQ(nodes(one), "<0 A<0 B<1 B<0 ");
  EXPECT_EQ(nodes(other), nodes(one));
}

TEST(RankRecords, AreEmptyForAnEmptyProfile) {
  Notes notes;
  const Profile profile;
  EXPECT_TRUE(
      RanksOf(profile, BuildRegionTree(profile, {}, notes)).records.empty());
}

TEST(CollectiveKinds, AreReadFromTheNamesOfKernels) {
  EXPECT_EQ(CollectiveKind("ncclDevKernel_AllReduce_Sum_f32_RING_LL("
                           "ncclDevKernelArgsStorage<(unsigned long)4096>)"),
            "AllReduce");
  EXPECT_EQ(CollectiveKind("ncclKernel_ReduceScatter_RING_LL128_Sum_half(x)"),
            "ReduceScatter");
  EXPECT_EQ(CollectiveKind("ncclDevKernel_AllGather_RING_LL(x)"), "AllGather");
  EXPECT_EQ(CollectiveKind("ncclDevKernel_SendRecv(x)"), "SendRecv");
  EXPECT_EQ(CollectiveKind("ncclDevKernel_Reduce_Sum_f32_RING_LL(x)"),
            "Reduce");
  EXPECT_EQ(CollectiveKind("ncclDevKernel_Generic_4(x)"), "Generic");
  EXPECT_EQ(CollectiveKind("mscclKernel_Sum_half_Simple_false(x)"), "Generic");
  EXPECT_EQ(CollectiveKind("void deep_ep::intranode::dispatch<8>(int4*)"),
            "Dispatch");
  EXPECT_EQ(CollectiveKind("void nvshmemi_alltoall_on_stream_kernel<int>(x)"),
            "AllToAll");
  EXPECT_EQ(CollectiveKind("void reduce_kernel<512>(float*)"), "");
}

}  // namespace
}  // namespace rangefinder
