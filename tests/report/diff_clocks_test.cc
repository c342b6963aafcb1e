// Runs at another clock, made of real captures: a lower clock makes times
// longer and leaves the cycles of the SMs as they were.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diff/compare.h"
#include "tests/support/analyze.h"

namespace rangefinder {
namespace {

using testing::AnalyzeFile;
using testing::Fixture;
using ::testing::StartsWith;

// Five runs of the capture, within 0.2 % of each other: at a clock that is
// lower by `slower`, and of a program that takes `cycles` as many.
std::vector<RunFacts> Runs(const RunFacts& capture, double slower,
                           double cycles) {
  std::vector<RunFacts> runs(5, capture);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double noise = 1 + 0.001 * (static_cast<double>(i) - 2);
    for (RegionFacts& region : runs[i].regions) {
      for (auto* time : {&region.time_ns, &region.own_ns})
        if (*time) **time *= slower * cycles * noise;
      for (auto& [name, kernel] : region.kernels)
        kernel.time_ns *= slower * cycles * noise;
      for (auto& [name, counter] : region.counters)
        if (name.find("__cycles_") != std::string::npos &&
            name.find("per_second") == std::string::npos &&
            name.find("pct") == std::string::npos)
          counter.value *= cycles * noise;
    }
  }
  return runs;
}

class OtherClocks : public ::testing::TestWithParam<const char*> {};

RunFacts Capture(const char* fixture) {
  const auto analysis = AnalyzeFile(Fixture(fixture));
  return FactsOfRun(MakeReport(*analysis, {}), "run");
}

Comparison Compared(const RunFacts& capture, double slower, double cycles) {
  auto comparison =
      Compare(Runs(capture, 1, 1), Runs(capture, slower, cycles), {});
  EXPECT_TRUE(comparison.ok());
  return std::move(comparison).value();
}

TEST_P(OtherClocks, AreNoSlowDown) {
  const RunFacts capture = Capture(GetParam());
  const Comparison lower = Compared(capture, 1.1, 1);
  EXPECT_EQ(lower.Count(DiffVerdict::kSlower), 0);
  EXPECT_THAT(lower.regions[0].why,
              StartsWith("the clocks changed: time +10.0 %, cycles +0.0 %"));
  EXPECT_EQ(Compared(capture, 1 / 1.1, 1).Count(DiffVerdict::kFaster), 0);
  // And hide no slower program.
  for (const double clock : {1.0, 1.1})
    EXPECT_EQ(Compared(capture, clock, 1.05).regions[0].verdict,
              DiffVerdict::kSlower);
}

// Kernel by kernel, and estimates, which some regions have none of.
INSTANTIATE_TEST_SUITE_P(Captures, OtherClocks,
                         ::testing::Values("nested_basic.ncu-rep",
                                           "vision_sampled.rftrace.zst"));

}  // namespace
}  // namespace rangefinder
