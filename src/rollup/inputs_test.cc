#include "rollup/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> Inputs(std::vector<std::string> requested) {
  return InputsFor("GH100", requested);
}

TEST(InputsFor, CountersNeedNothing) {
  EXPECT_THAT(Inputs({"gpu__time_duration.sum", "dram__bytes.sum"}), IsEmpty());
  EXPECT_THAT(Inputs({}), IsEmpty());
}

TEST(InputsFor, RatesNeedTheirDivisors) {
  EXPECT_THAT(Inputs({"dram__bytes.sum.per_second"}),
              ElementsAre("gpu__time_duration.sum"));
  EXPECT_THAT(Inputs({"gpu__time_duration.sum",
                      "sm__warps_active.avg.pct_of_peak_sustained_active",
                      "sm__inst_executed.avg.pct_of_peak_sustained_elapsed"}),
              ElementsAre("sm__cycles_active.avg", "sm__cycles_elapsed.avg"));
}

TEST(InputsFor, RatiosNeedTheirCounters) {
  EXPECT_THAT(
      Inputs({"gpu__time_duration.sum", "lts__t_sector_hit_rate.pct"}),
      ElementsAre("lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum"));
}

TEST(InputsFor, ThroughputsNeedTheirInputsAndTheCyclesOfTheInputs) {
  const std::vector<std::string> inputs =
      Inputs({"sm__throughput.avg.pct_of_peak_sustained_elapsed"});
  EXPECT_THAT(inputs,
              Contains("sm__inst_executed.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_THAT(inputs, Contains("sm__cycles_elapsed.avg"));
  EXPECT_THAT(
      inputs,
      Not(Contains("sm__memory_throughput.avg.pct_of_peak_sustained_elapsed")));
  EXPECT_THAT(inputs, Each(Not(::testing::HasSubstr("__throughput"))));
}

TEST(InputsFor, NamesThatNcuExpandsNeedNothing) {
  EXPECT_THAT(Inputs({"gpu__time_duration.sum", "regex:sm__.*",
                      "group:memory__dram_table", "launch__grid_size"}),
              IsEmpty());
}

TEST(InputsFor, EachInputIsListedOnce) {
  std::vector<std::string> inputs = Inputs(
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed",
       "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"});
  std::ranges::sort(inputs);
  EXPECT_EQ(std::ranges::adjacent_find(inputs), inputs.end());
}

}  // namespace
}  // namespace rangefinder
