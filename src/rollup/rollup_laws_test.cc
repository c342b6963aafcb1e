// Laws of all rollups, on random profiles.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "rollup/rollup.h"
#include "tests/support/rollup_fixture.h"

namespace rangefinder {
namespace {

using RollUpLaws = RollUpTest;

const std::vector<std::string> kLawMetrics = {
    kTime,
    "sm__inst_executed.sum",
    "sm__inst_executed.max",
    "sm__cycles_active.avg",
    "sm__x.avg.per_cycle_active",
    "dram__bytes.sum.per_second",
    "a__b.ratio",
    "launch__grid_size",
    // A ratio with its inputs, and a ratio with its denominator alone.
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__t_sectors_lookup_hit.sum",
    "l1tex__t_sectors.sum",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__inst_executed.sum",
};

// Each metric is missing from one kernel in eight, or from none.
enum class Gaps { kSome, kNone };

Values RandomValues(std::mt19937& random, Gaps gaps = Gaps::kSome) {
  std::uniform_real_distribution<double> number(1, 1e9);
  Values values;
  for (const std::string& name : kLawMetrics) {
    if (gaps == Gaps::kNone || random() % 8 != 0)
      values.emplace_back(name, number(random));
  }
  return values;
}

void ExpectSame(const Amounts& a, const Amounts& b) {
  EXPECT_EQ(a.kernel_count, b.kernel_count);
  EXPECT_EQ(a.without_time, b.without_time);
  EXPECT_DOUBLE_EQ(a.gpu_time_ns, b.gpu_time_ns);
  ASSERT_EQ(a.cells.size(), b.cells.size());
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    SCOPED_TRACE(kLawMetrics[i]);
    EXPECT_EQ(a.cells[i].how, b.cells[i].how);
    EXPECT_DOUBLE_EQ(a.cells[i].value, b.cells[i].value);
    EXPECT_EQ(a.cells[i].present, b.cells[i].present);
    EXPECT_EQ(a.cells[i].missing, b.cells[i].missing);
    EXPECT_EQ(a.cells[i].low, b.cells[i].low);
    EXPECT_EQ(a.cells[i].high, b.cells[i].high);
    EXPECT_EQ(a.cells[i].distinct, b.cells[i].distinct);
  }
}

class RollUpLawsWith : public RollUpTest,
                       public ::testing::WithParamInterface<Gaps> {};
INSTANTIATE_TEST_SUITE_P(Gaps, RollUpLawsWith,
                         ::testing::Values(Gaps::kSome, Gaps::kNone));

TEST_P(RollUpLawsWith, TheOrderOfKernelsDoesNotMatter) {
  const RegionId a = Region("A");
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) Kernel(a, RandomValues(random, GetParam()));
  const Rollup before = Roll(kLawMetrics);
  std::shuffle(tree_[a].kernels.begin(), tree_[a].kernels.end(), random);
  ExpectSame(before.scopes[0].totals, Roll(kLawMetrics).scopes[0].totals);
}

TEST_P(RollUpLawsWith, ARegionSplitInTwoAddsUpToItself) {
  const RegionId whole = Region("whole");
  const RegionId split = Region("split");
  const RegionId parts[] = {split, Region(split, "one"), Region(split, "two")};
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    Kernel(whole, RandomValues(random, GetParam()), i % 3 == 0 ? "a" : "b");
    tree_[parts[random() % 3]].kernels.push_back(tree_[whole].kernels.back());
  }
  const Rollup rollup = Roll(kLawMetrics);
  ExpectSame(rollup.scopes[0].regions[Index(whole)].inclusive,
             rollup.scopes[0].regions[Index(split)].inclusive);
}

TEST_F(RollUpLaws, AMetricThatSomeKernelsLackIsCountedAsMissing) {
  for (const std::string& lacking : kLawMetrics) {
    if (lacking == kTime) continue;  // counted as Amounts::without_time
    const RegionId a = Region("without " + lacking);
    std::mt19937 random(5);
    for (int i = 0; i < 30; ++i) {
      Values values = RandomValues(random, Gaps::kNone);
      if (i % 3 == 0) {
        std::erase_if(
            values, [&](const auto& value) { return value.first == lacking; });
      }
      Kernel(a, values);
    }
    const Rollup rollup = Roll({lacking});
    const Cell& cell = rollup.scopes[0].regions[Index(a)].inclusive.cells[0];
    EXPECT_EQ(cell.present, 20) << lacking;
    EXPECT_EQ(cell.missing, 10) << lacking;
    // A ratio is computed from its inputs, which are all there.
    if (lacking == "l1tex__t_sector_hit_rate.pct") {
      EXPECT_EQ(cell.how, How::kExact);
      continue;
    }
    EXPECT_FALSE(cell.reason.empty()) << lacking;
    EXPECT_GT(cell.how, How::kExact) << lacking << ": " << Draw(cell);
  }
}

TEST_F(RollUpLaws, ScalingDurationsScalesTimeAndLeavesTheMeans) {
  const RegionId a = Region("A");
  const RegionId b = Region("B");
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    Values values = RandomValues(random);
    Kernel(a, values);
    for (auto& [name, value] : values) {
      if (name == kTime) value *= 4;
    }
    Kernel(b, values);
  }
  const Rollup rollup = Roll(kLawMetrics);
  const Amounts& one = rollup.scopes[0].regions[Index(a)].inclusive;
  const Amounts& four = rollup.scopes[0].regions[Index(b)].inclusive;
  EXPECT_DOUBLE_EQ(4 * one.gpu_time_ns, four.gpu_time_ns);
  for (std::size_t i = 1; i < kLawMetrics.size(); ++i)
    EXPECT_DOUBLE_EQ(one.cells[i].value, four.cells[i].value) << kLawMetrics[i];
}

TEST_F(RollUpLaws, ExclusiveAmountsOfAllRegionsAreTheTotals) {
  std::mt19937 random(4);
  std::vector<RegionId> regions = {RegionTree::kRoot};
  for (int i = 0; i < 40; ++i) {
    const RegionId parent = regions[random() % regions.size()];
    regions.push_back(Region(parent, fmt::format("r{}", i)));
  }
  for (int i = 0; i < 500; ++i)
    Kernel(regions[random() % regions.size()], RandomValues(random));
  const Rollup rollup = Roll(kLawMetrics);
  const ScopeRollup& scope = rollup.scopes[0];
  double time = 0;
  std::uint64_t kernels = 0;
  for (const auto& [id, region] : scope.regions.there()) {
    time += region.exclusive.gpu_time_ns;
    kernels += region.exclusive.kernel_count;
  }
  EXPECT_EQ(kernels, scope.totals.kernel_count);
  EXPECT_NEAR(time, scope.totals.gpu_time_ns, 1e-9 * time);
}

}  // namespace
}  // namespace rangefinder
