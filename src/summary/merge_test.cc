#include "summary/merge.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random_summary.h"

namespace rangefinder {
namespace {

using testing::RandomSummary;
using testing::SummaryBytes;

Summary Merged(const std::vector<Summary>& parts) {
  SummaryMerger merger;
  for (const Summary& part : parts) merger.Add(part);
  return merger.Take();
}

// A tree of merges of any shape.
Summary Tree(std::vector<Summary> parts, std::mt19937& random) {
  while (parts.size() > 1) {
    std::ranges::shuffle(parts, random);
    const std::size_t some =
        std::min<std::size_t>(parts.size(), 2 + random() % 3);
    const auto begin = parts.end() - static_cast<std::ptrdiff_t>(some);
    Summary one = Merged({begin, parts.end()});
    parts.erase(begin, parts.end());
    parts.push_back(std::move(one));
  }
  return std::move(parts.front());
}

TEST(MergeLaws, AnyTreeOfMergesGivesTheSameBytes) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<Summary> parts;
    for (std::uint32_t i = 0; i < 2 + seed / 4; ++i)
      parts.push_back(RandomSummary(100 * seed + i).Make());
    const std::string whole = SummaryBytes(Merged(parts));
    for (int round = 0; round < 4; ++round)
      ASSERT_EQ(SummaryBytes(Tree(parts, random)), whole) << "seed " << seed;
  }
}

TEST(MergeLaws, AnEmptySummaryChangesNothing) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Summary one = RandomSummary(seed).Make();
    EXPECT_EQ(SummaryBytes(Merged({one, Summary{}})), SummaryBytes(one));
  }
}

TEST(MergeLaws, AWrittenSummaryIsReadBackTheSame) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Summary one = RandomSummary(seed).Make();
    const std::string bytes = SummaryBytes(one);
    const auto file = OpenSummary(bytes);
    ASSERT_TRUE(file.ok()) << file.error().message();
    EXPECT_EQ(SummaryBytes(file.value().summary), bytes) << seed;
    EXPECT_EQ(file.value().damage, "");
  }
}

TEST(Merge, DropsKernelsWithoutRows) {
  Summary summary;
  summary.texts = {"", "gemm", "H200", "relu"};
  summary.kernels.push_back({.name = 1, .device = 2});
  summary.kernels.push_back({.name = 3});
  summary.rows.push_back({.kernel = 1, .launches = 1});
  const Summary merged = Merged({summary});
  EXPECT_EQ(merged.texts, (std::vector<std::string>{"", "relu"}));
  ASSERT_EQ(merged.kernels.size(), 1U);
  EXPECT_EQ(merged.rows[0].kernel, 0U);
}

// In any order, and some twice.
TEST(Merge, AddsMeasurementsByMetric) {
  const auto part = [](const std::vector<TextIndex>& metrics) {
    Summary summary;
    summary.texts = {"", "a", "b", "c", "k"};
    summary.kernels.push_back({.name = 4});
    SummaryRow row{.launches = 1};
    for (const TextIndex metric : metrics)
      row.metrics.push_back({.metric = metric, .present = metric});
    summary.rows.push_back(row);
    return summary;
  };
  const Summary merged =
      Merged({part({1, 3}), part({1, 2, 3}), part({3, 2, 1, 1}), part({})});
  ASSERT_EQ(merged.rows.size(), 1U);
  std::vector<std::uint64_t> present;
  for (const SummaryMetric& metric : merged.rows[0].metrics)
    present.push_back(metric.present);
  EXPECT_EQ(present, (std::vector<std::uint64_t>{4, 4, 9}));
}

TEST(Merge, AddsLaunchesOfOneKernelInOneRegion) {
  const auto part = [](std::uint64_t ns, std::int32_t rank) {
    Summary summary;
    summary.texts = {"", "A", "gemm"};
    summary.regions.push_back({.name = 1, .instances = 1});
    summary.kernels.push_back({.name = 2});
    SummaryRow row{.region = 1, .launches = 1};
    row.time.Add(ns, rank);
    summary.rows.push_back(row);
    return summary;
  };
  const Summary merged = Merged({part(30, 0), part(10, 1), part(20, 2)});
  ASSERT_EQ(merged.rows.size(), 1U);
  EXPECT_EQ(merged.rows[0].launches, 3U);
  EXPECT_EQ(merged.rows[0].time.total(), 60U);
  EXPECT_EQ(merged.rows[0].time.min_rank, 1);
  EXPECT_EQ(merged.rows[0].time.max_rank, 0);
  EXPECT_EQ(merged.regions[1].instances, 3U);
}

TEST(Merge, OfLaunchesBeyond64BitsIsStillRead) {
  Summary one;
  one.texts = {"", "A", "gemm"};
  one.regions.push_back({.name = 1, .instances = 1});
  one.kernels.push_back({.name = 2});
  SummaryRow row{.region = 1, .launches = ~std::uint64_t{0} - 2};
  for (int i = 0; i < 6; ++i) row.time.Add(10, 0);
  one.rows.push_back(row);
  Summary other = one;
  other.rows[0].launches = 6;
  const std::string bytes = SummaryBytes(Merged({one, other}));
  EXPECT_TRUE(OpenSummary(bytes).ok());
}

}  // namespace
}  // namespace rangefinder
