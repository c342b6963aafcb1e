// Whole reports of `diff` on equal programs at the default settings: verdicts
// with all their conditions, not one statistic alone.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "diff/compare.h"
#include "tests/support/simulated_reports.h"

namespace rangefinder {
namespace {

using testing::Program;
using testing::Simulate;

// Both sides' runs of a program: rows are regions of 1 ms beside each other,
// the whole is their sum.
class Runs {
 public:
  explicit Runs(const Program& program)
      : sides_(2, std::vector<RunFacts>(program.runs)) {
    for (auto& side : sides_) {
      for (RunFacts& run : side) {
        run.regions.push_back({.launches = program.rows});
        for (std::size_t row = 0; row < program.rows; ++row) {
          run.regions.push_back({.frame = fmt::format("region{}x", row),
                                 .instances = 1,
                                 .launches = 1,
                                 .own_launches = 1});
          run.regions.back().kernels["gemm"].launches = 1;
        }
      }
    }
  }

  Comparison Compared(const std::vector<RunValues>& rows) {
    std::size_t at = 0;  // in a row
    for (auto& side : sides_)
      for (RunFacts& run : side) Fill(rows, at++, run);
    auto comparison = Compare(sides_[0], sides_[1], DiffRules{});
    EXPECT_TRUE(comparison.ok());
    return std::move(comparison).value();
  }

 private:
  static void Fill(const std::vector<RunValues>& rows, std::size_t at,
                   RunFacts& run) {
    double sum = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double ns = rows[row][at];
      RegionFacts& region = run.regions[row + 1];
      region.time_ns = region.own_ns = ns;
      region.kernels.begin()->second.time_ns = ns;
      sum += ns;
    }
    run.regions[0].time_ns = sum;
    run.regions[0].own_ns = 0;
  }

  std::vector<std::vector<RunFacts>> sides_;
};

// The number of `reports` in which a region, or the whole run, is SLOWER.
std::size_t Slower(const Program& program, std::size_t reports) {
  std::mt19937_64 random(13);
  Runs runs(program);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < reports; ++i) {
    const Comparison comparison = runs.Compared(Simulate(program, random));
    wrong += comparison.Count(DiffVerdict::kSlower) > 0 ? 1U : 0U;
  }
  return wrong;
}

struct Scenario {
  const char* name;
  Program program;
};
std::vector<Scenario> ScenariosOf(std::size_t rows) {
  return {
      {"independent noise of 2 %, 10 runs a side", {.rows = rows}},
      {"the same, 5 runs a side", {.rows = rows, .runs = 5}},
      {"5 % that all regions share", {.rows = rows, .common = 0.05}},
      {"two clocks, 8 % apart", {.rows = rows, .two_clocks = true}},
      {"drift of 0.2 % a run", {.rows = rows, .drifts = true}},
      {"outliers of twice, 1 of 25", {.rows = rows, .outliers = true}},
  };
}

// The number of `reports` in which the one slower region (5 %, of 200 regions,
// 10 runs per side) is SLOWER.
std::size_t Found(std::size_t reports) {
  const Program program{.rows = 200, .slower = 1.05};
  std::mt19937_64 random(17);
  Runs runs(program);
  std::size_t found = 0;
  for (std::size_t i = 0; i < reports; ++i) {
    const Comparison comparison = runs.Compared(Simulate(program, random));
    found += comparison.regions[1].verdict == DiffVerdict::kSlower ? 1U : 0U;
  }
  return found;
}

// With alpha = 1 % for both directions together, 5 of 1,000 reports are
// expected to have a false SLOWER. The limit of 15 fails by chance in one of
// 14,000 tests; at a true rate of 3 %, it fails in all but one of 500. The
// limit of 48 in all 6,000 reports fails by chance in one of 1,000 tests; at a
// true rate of 1 %, it fails in all but one of 16.
TEST(Verdicts, OfEqualProgramsAreSlowerInFewerThanOnePercentOfReports) {
  std::size_t all = 0;
  for (const Scenario& scenario : ScenariosOf(20)) {
    const std::size_t wrong = Slower(scenario.program, 1000);
    EXPECT_LE(wrong, 15U) << scenario.name;
    all += wrong;
  }
  EXPECT_LE(all, 48U);
}

// The true rate is 91 %. The limit of 347 of 400 fails by chance in one of
// 1,000 tests; at a true rate of 83 %, it fails in all but one of 40.
TEST(Verdicts, FindOneRegionOfTwoHundredThatIsFivePercentSlower) {
  EXPECT_GE(Found(400), 347U);
}

}  // namespace
}  // namespace rangefinder
