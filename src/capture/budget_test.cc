#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/cost.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// 100 decode steps of a small and a large kernel, after one prefill.
std::vector<Launch> Decode() {
  std::vector<Launch> launches = {{"prefill", "gemm", "(64)", 5e6}};
  for (int i = 0; i < 100; ++i) {
    launches.push_back({"decode", "gemm", "(8)", 1e6});
    launches.push_back({"decode", "relu", "(8)", 1e4});
  }
  return launches;
}

TEST(Budget, AllLaunchesAreMeasuredIfTheyFit) {
  const Budget budget = FitBudget(Decode(), 1, 1e6);
  EXPECT_EQ(budget.launch_count, 0U);
  EXPECT_EQ(budget.measured, 201U);

  NcuOptions options;
  ApplyBudget(budget, options);
  EXPECT_TRUE(options.options.empty());
}

TEST(Budget, KeepsTheFirstLaunchesOfEachKernelAndGrid) {
  const CostModel model{.launch_s = 1, .pass_s = 0};
  const Budget budget = FitBudget(Decode(), 1, 25, model);

  // 1 prefill, and 11 of each of decode: 23 s and a little.
  EXPECT_EQ(budget.launch_count, 11U);
  EXPECT_EQ(budget.measured, 23U);
  EXPECT_TRUE(budget.fits);
  EXPECT_LE(budget.seconds, 25);
  EXPECT_TRUE(budget.uncovered.empty());
  EXPECT_THAT(BudgetText(budget), HasSubstr("23 of 201 launches"));

  NcuOptions options;
  ApplyBudget(budget, options);
  EXPECT_THAT(options.options["launch_count"], ElementsAre("11"));
  EXPECT_THAT(options.options["filter_mode"], ElementsAre("per-launch-config"));
}

TEST(Budget, TheMinimumMayExceedTheBudget) {
  const Budget budget = FitBudget(Decode(), 10, 0.001);
  EXPECT_EQ(budget.launch_count, 1U);
  EXPECT_FALSE(budget.fits);
  EXPECT_THAT(BudgetText(budget), HasSubstr("the minimum exceeds the budget"));
}

TEST(Budget, ARegionThatSharesItsKernelsMayBeMissed) {
  const std::vector<Launch> launches = {{"first", "k", "g", 1},
                                        {"second", "k", "g", 1}};
  const Budget budget = FitBudget(launches, 10, 0.001);
  EXPECT_THAT(budget.uncovered, ElementsAre("second"));
}

constexpr CostModel kSecondALaunch{.launch_s = 1, .pass_s = 0};

// Layers of one gemm and two norms each, as a trace numbers them.
std::vector<Launch> Layers(int count) {
  std::vector<Launch> launches;
  std::uint64_t gemms = 0;
  std::uint64_t norms = 0;
  for (int i = 0; i < count; ++i) {
    const std::string layer = "layer" + std::to_string(i);
    launches.push_back({layer, "norm", "(1)", 1e3, ++norms});
    launches.push_back({layer, "gemm", "(8)", 1e6, ++gemms});
    launches.push_back({layer, "norm", "(1)", 1e3, ++norms});
  }
  return launches;
}

TEST(Budget, EveryRegionGetsItsOwnLaunches) {
  const auto launches = Layers(10);
  const Budget budget = FitBudget(launches, 1, 26, kSecondALaunch);
  EXPECT_EQ(budget.launch_count, 1U);
  EXPECT_THAT(budget.uncovered, IsEmpty());
  EXPECT_TRUE(budget.fits);
  EXPECT_LE(budget.measured, 25U);
  // The gemms have the numbers 1 to 10. These include the norms of the first
  // five layers with them; of the others one norm each is added.
  EXPECT_THAT(budget.numbers,
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19));
  EXPECT_EQ(budget.measured, 10U + 15U);
  EXPECT_EQ(WithinBudget(launches, budget).size(), budget.measured);

  NcuOptions options;
  ApplyBudget(budget, options);
  EXPECT_TRUE(options.options.empty());
}

TEST(Budget, MoreTimeMeasuresMoreOfEachRegion) {
  std::vector<Launch> launches;
  for (std::uint64_t i = 1; i <= 100; ++i)
    launches.push_back({i % 2 == 0 ? "even" : "odd", "k", "g", 0, i});
  const Budget budget = FitBudget(launches, 1, 41, kSecondALaunch);
  EXPECT_EQ(budget.launch_count, 20U);
  EXPECT_EQ(budget.measured, 40U);
  EXPECT_EQ(budget.numbers.front(), 1U);
  EXPECT_EQ(budget.numbers.back(), 40U);
}

TEST(Budget, WithoutTimeForAllRegionsTheLongestComeFirst) {
  std::vector<Launch> launches;
  for (std::uint64_t i = 1; i <= 9; ++i) {
    launches.push_back({"r" + std::to_string(i), "k", "g",
                        i == 4   ? 1e6
                        : i == 7 ? 9e5
                                 : 1e3,
                        i});
  }
  const Budget budget = FitBudget(launches, 1, 2.5, kSecondALaunch);
  EXPECT_THAT(budget.numbers, ElementsAre(4, 7));
  EXPECT_EQ(budget.uncovered.size(), 7U);
  EXPECT_TRUE(budget.fits);

  const Budget least = FitBudget(launches, 1, 0.1, kSecondALaunch);
  EXPECT_THAT(least.numbers, ElementsAre(4));
  EXPECT_FALSE(least.fits);
}

TEST(Budget, UsesNoNumbersIfOneLaunchHasNone) {
  auto launches = Layers(10);
  launches[3].number = 0;
  const Budget budget = FitBudget(launches, 1, 20, kSecondALaunch);
  EXPECT_THAT(budget.numbers, IsEmpty());
  EXPECT_GT(budget.launch_count, 0U);
}

}  // namespace
}  // namespace rangefinder
