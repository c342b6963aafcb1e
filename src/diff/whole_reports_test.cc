// What `diff` says of equal programs, whole reports of it at the defaults: the
// verdicts with all their conditions, not one statistic alone.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "diff/comparison.h"
#include "tests/support/simulated_reports.h"

namespace rangefinder {
namespace {

using testing::Program;
using testing::Simulate;

// Rows are regions of 1 ms beside each other; the whole is their sum.
std::vector<RunFacts> RunsOf(const std::vector<RunValues>& rows,
                             std::size_t from, std::size_t count) {
  std::vector<RunFacts> runs;
  for (std::size_t run = from; run < from + count; ++run) {
    RunFacts facts{.source = fmt::format("run {}", run)};
    facts.regions.push_back({.time_ns = 0, .own_ns = 0, .launches = 0});
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double ns = rows[row][run];
      RegionFacts region{.frame = fmt::format("region{}x", row),
                         .depth = 1,
                         .time_ns = ns,
                         .own_ns = ns,
                         .instances = 1,
                         .launches = 1,
                         .own_launches = 1};
      region.kernels["gemm"] = {.launches = 1, .time_ns = ns};
      *facts.regions[0].time_ns += ns;
      ++*facts.regions[0].launches;
      facts.regions.push_back(std::move(region));
    }
    runs.push_back(std::move(facts));
  }
  return runs;
}

// In how many of so many reports any region, or the whole, is SLOWER.
std::size_t Slower(const Program& program, std::size_t reports) {
  std::mt19937_64 random(13);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < reports; ++i) {
    const auto rows = Simulate(program, random);
    const auto comparison =
        Compare(RunsOf(rows, 0, program.runs),
                RunsOf(rows, program.runs, program.runs), DiffRules{});
    EXPECT_TRUE(comparison.ok());
    wrong += comparison.value().Count(DiffVerdict::kSlower) > 0 ? 1U : 0U;
  }
  return wrong;
}

struct Scenario {
  const char* name;
  Program program;
};
const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> all = {
      {"independent noise of 2 %, 10 runs a side", {.rows = 60}},
      {"the same, 5 runs a side", {.rows = 60, .runs = 5}},
      {"5 % that all regions share", {.rows = 60, .common = 0.05}},
      {"two clocks, 8 % apart", {.rows = 60, .two_clocks = true}},
      {"drift of 0.2 % a run", {.rows = 60, .drifts = true}},
      {"outliers of twice, 1 of 25", {.rows = 60, .outliers = true}},
  };
  return all;
}

// At 1 % one is expected of four times 25; four of 25 in one of 10,000 tries.
TEST(Verdicts, OfEqualProgramsAreRarelySlower) {
  for (const Scenario& scenario : Scenarios())
    EXPECT_LE(Slower(scenario.program, 25), 3U) << scenario.name;
}

// The table of docs/measured; some minutes.
TEST(Verdicts, DISABLED_OfThousandsOfEqualPrograms) {
  for (const Scenario& scenario : Scenarios())
    fmt::print("| {} | {} of 1,000 |\n", scenario.name,
               Slower(scenario.program, 1000));
  std::size_t found = 0;
  std::mt19937_64 random(17);
  for (int i = 0; i < 200; ++i) {
    const auto rows = Simulate({.rows = 200, .slower = 1.05}, random);
    const auto comparison =
        Compare(RunsOf(rows, 0, 10), RunsOf(rows, 10, 10), DiffRules{});
    found += comparison.value().regions[1].verdict == DiffVerdict::kSlower;
  }
  fmt::print(
      "| one of 200 is 5 % slower, 10 runs a side: found | {} of 200 |\n",
      found);
}

}  // namespace
}  // namespace rangefinder
