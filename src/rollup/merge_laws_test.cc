// Laws of rollups of several files, and of one file in another order, on random
// programs. Values are whole numbers, so that sums are equal to the last bit.

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "region/tree.h"
#include "rollup/rollup.h"
#include "tests/support/draw.h"
#include "tests/support/profile_builder.h"
#include "tests/support/random_program.h"

namespace rangefinder {
namespace {

using testing::BuildProfile;
using testing::RandomProgram;

constexpr std::uint32_t kCases = 80;

const std::vector<std::string> kNames = {"A", "B", "A::A1", "step"};
const std::vector<std::string> kMetrics = {
    "gpu__time_duration.sum",     "dram__bytes.sum",
    "sm__inst_executed.max",      "sm__cycles_active.avg",
    "sm__x.avg.per_cycle_active", "launch__grid_size"};
constexpr std::size_t kSums = 2;

// The simplest model of a rollup, which can be added.
struct Sum {
  std::uint64_t kernels = 0;
  std::uint64_t without_time = 0;
  double ns = 0;
  struct Metric {
    double sum = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    std::uint32_t present = 0;
    std::uint32_t missing = 0;
    friend bool operator==(const Metric&, const Metric&) = default;
  };
  std::vector<Metric> metrics{kMetrics.size()};

  friend bool operator==(const Sum&, const Sum&) = default;
};

Sum operator+(Sum a, const Sum& b) {
  a.kernels += b.kernels;
  a.without_time += b.without_time;
  a.ns += b.ns;
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    Sum::Metric& metric = a.metrics[i];
    metric.sum += b.metrics[i].sum;
    metric.low = std::min(metric.low, b.metrics[i].low);
    metric.high = std::max(metric.high, b.metrics[i].high);
    metric.present += b.metrics[i].present;
    metric.missing += b.metrics[i].missing;
  }
  return a;
}

std::string Draw(const Sum& sum) {
  std::string text = fmt::format("{} kernels {} ns ({} without)", sum.kernels,
                                 sum.ns, sum.without_time);
  for (const Sum::Metric& metric : sum.metrics)
    text += fmt::format("; {} of {} to {}, {}/{}", metric.sum, metric.low,
                        metric.high, metric.present, metric.missing);
  return text;
}

Sum SumOf(const Amounts& amounts) {
  Sum sum{.kernels = amounts.kernel_count,
          .without_time = amounts.without_time,
          .ns = amounts.gpu_time_ns};
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    const Cell& cell = amounts.cells[i];
    Sum::Metric& metric = sum.metrics[i];
    metric.present = cell.present;
    metric.missing = cell.missing;
    if (cell.present == 0) continue;
    if (i < kSums) metric.sum = cell.value;
    // A single value has no spread.
    metric.low = cell.has_spread ? cell.low : cell.value;
    metric.high = cell.has_spread ? cell.high : cell.value;
  }
  return sum;
}

// "device 0 of 1: A > B own" with its amounts in a rollup.
using Sums = std::map<std::string, Sum>;

Sums operator+(Sums a, const Sums& b) {
  for (const auto& [name, sum] : b) a[name] = a[name] + sum;
  return a;
}

std::string Draw(const Sums& sums) {
  std::string text;
  for (const auto& [name, sum] : sums)
    if (sum.kernels > 0) text += name + ": " + Draw(sum) + "\n";
  return text;
}

struct Rolled {
  Profile profile{};
  RegionTree tree{};
  Rollup rollup{};
};

Rolled Roll(Profile profile) {
  Rolled rolled{.profile = std::move(profile)};
  Notes notes;
  rolled.tree = BuildRegionTree(rolled.profile, Selection(), notes);
  rolled.rollup =
      RollUp(rolled.profile, rolled.tree, {.metrics = kMetrics}, notes);
  return rolled;
}

std::string ScopeName(const Profile& profile, const Scope& scope) {
  if (scope.aggregate) return "all";
  return fmt::format("device {} of {}", scope.device,
                     profile.processes[Index(scope.process)].pid);
}

Sums SumsOf(const Rolled& rolled) {
  Sums sums;
  for (const ScopeRollup& scope : rolled.rollup.scopes) {
    const std::string name = ScopeName(rolled.profile, scope.scope);
    for (std::size_t i = 0; i < scope.regions.size(); ++i) {
      const RegionRollup& region = scope.regions[i];
      const auto id = static_cast<RegionId>(i);
      const std::string path =
          name + ": " +
          (id == RegionTree::kRoot
               ? "total"
               : testing::Draw(rolled.profile, rolled.tree.PathTo(id)));
      sums[path] = SumOf(region.inclusive);
      sums[path + " own"] = SumOf(region.exclusive);
      for (const KernelRow& row : region.kernels) {
        sums[fmt::format("{} {} on {}", path, rolled.profile.Name(row.name),
                         row.device)] = SumOf(row.amounts);
      }
    }
  }
  return sums;
}

Sums SumsOf(Profile profile) {
  return SumsOf(Roll(std::move(profile)));
}

Profile Build(const std::vector<std::string>& lines) {
  return BuildProfile(fmt::format("{}\n", fmt::join(lines, "\n")));
}

Profile Together(Profile a, const Profile& b) {
  Append(a, b);
  return a;
}

std::vector<std::string> Program(RandomProgram& random) {
  return random.Kernels(kNames, kMetrics);
}

TEST(MergeLaws, ARollupOfTwoFilesIsTheirRollupsAdded) {
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    const Profile a = Build(Program(random));
    const Profile b = Build(Program(random));
    ASSERT_EQ(Draw(SumsOf(Together(a, b))), Draw(SumsOf(a) + SumsOf(b)))
        << "seed " << seed;
  }
}

TEST(MergeLaws, OrderAndGroupingOfFilesDoNotMatter) {
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    const Profile a = Build(Program(random));
    const Profile b = Build(Program(random));
    const Profile c = Build(Program(random));
    const std::string once = Draw(SumsOf(Together(Together(a, b), c)));
    ASSERT_EQ(Draw(SumsOf(Together(a, Together(b, c)))), once);
    ASSERT_EQ(Draw(SumsOf(Together(Together(c, a), b))), once);
  }
}

TEST(MergeLaws, SumsDoNotDependOnTheOrderOfMeasurements) {
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    auto lines = Program(random);
    const std::string before = Draw(SumsOf(Build(lines)));
    random.Shuffle(lines);
    ASSERT_EQ(Draw(SumsOf(Build(lines))), before)
        << fmt::format("{}", fmt::join(lines, "\n"));
  }
}

TEST(MergeLaws, EveryRegionAddsItsKernelsAndInnerRegionsInEveryScope) {
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    const auto lines = Program(random);
    SCOPED_TRACE(fmt::format("{}", fmt::join(lines, "\n")));
    const Rolled rolled = Roll(Build(lines));
    std::vector<Sum> over_scopes(rolled.tree.regions().size());
    for (const ScopeRollup& scope : rolled.rollup.scopes) {
      SCOPED_TRACE(ScopeName(rolled.profile, scope.scope));
      for (std::size_t i = 0; i < scope.regions.size(); ++i) {
        const RegionRollup& region = scope.regions[i];
        Sum rows;
        for (const KernelRow& row : region.kernels) {
          rows = rows + SumOf(row.amounts);
          EXPECT_EQ(row.calls, row.amounts.kernel_count);
          EXPECT_EQ(row.calls, row.measurements.size());
          EXPECT_EQ(row.total_ns, row.amounts.gpu_time_ns);
          const Sum::Metric time = SumOf(row.amounts).metrics[0];
          EXPECT_EQ(row.min_ns, time.present > 0 ? time.low : 0);
          EXPECT_EQ(row.max_ns, time.present > 0 ? time.high : 0);
        }
        EXPECT_EQ(Draw(rows), Draw(SumOf(region.exclusive)));
        EXPECT_TRUE(std::ranges::is_sorted(
            region.kernels, std::ranges::greater(), &KernelRow::total_ns));
        Sum inside = SumOf(region.exclusive);
        for (const RegionId inner : rolled.tree.regions()[i].children)
          inside = inside + SumOf(scope.regions[Index(inner)].inclusive);
        EXPECT_EQ(Draw(inside), Draw(SumOf(region.inclusive)));
        EXPECT_EQ(
            region.empty,
            region.inclusive.kernel_count == 0 && region.measured.empty() &&
                std::ranges::all_of(rolled.tree.regions()[i].children,
                                    [&](RegionId inner) {
                                      return scope.regions[Index(inner)].empty;
                                    }));
        if (!scope.scope.aggregate)
          over_scopes[i] = over_scopes[i] + SumOf(region.inclusive);
      }
      EXPECT_EQ(Draw(SumOf(scope.totals)),
                Draw(SumOf(scope.regions.front().inclusive)));
    }
    const ScopeRollup& all = rolled.rollup.scopes.front();
    for (std::size_t i = 0; i < over_scopes.size(); ++i) {
      EXPECT_EQ(Draw(over_scopes[i]), Draw(SumOf(all.regions[i].inclusive)))
          << "over processes and devices";
    }
    if (::testing::Test::HasFailure()) return;
  }
}

// Each kernel counts in the outermost region of the name.
TEST(MergeLaws, ANameAddsItsOutermostRegionsInEveryScope) {
  std::size_t rows = 0;
  for (std::uint32_t seed = 1; seed < kCases; ++seed) {
    RandomProgram random(seed);
    const auto lines = Program(random);
    SCOPED_TRACE(fmt::format("{}", fmt::join(lines, "\n")));
    const Rolled rolled = Roll(Build(lines));
    for (const ScopeRollup& scope : rolled.rollup.scopes) {
      EXPECT_TRUE(std::ranges::is_sorted(
          scope.names, std::ranges::greater(),
          [](const NameRow& row) { return row.amounts.gpu_time_ns; }));
      for (const NameRow& row : scope.names) {
        Sum sum;
        EXPECT_GE(row.regions.size(), 2U);
        for (const RegionId id : row.regions) {
          const auto path = rolled.tree.PathTo(id);
          EXPECT_EQ(path.back(), row.frame);
          if (std::ranges::count(path, row.frame) == 1)
            sum = sum + SumOf(scope.regions[Index(id)].inclusive);
        }
        EXPECT_EQ(Draw(sum), Draw(SumOf(row.amounts)));
        ++rows;
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(rows, 100U);
}

}  // namespace
}  // namespace rangefinder
