#include "rollup/explain.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/rollup_fixture.h"

namespace rangefinder {
namespace {

class ExplainTest : public RollUpTest {
 protected:
  std::string Said(std::string_view metric, std::size_t rows = 50) {
    return Explain(profile_, kernels_, metric, options_, rows);
  }
  void Add(const Values& values, std::string_view kernel = "k") {
    kernels_.push_back(Measure(values, kernel));
  }

  std::vector<MeasurementId> kernels_;
  RollupOptions options_;
};

TEST_F(ExplainTest, ASumIsItsRows) {
  Add({{"dram__bytes.sum", 5}}, "saxpy");
  Add({{kTime, 1}}, "burn");
  Add({{"dram__bytes.sum", 7.5}}, "saxpy");
  EXPECT_EQ(Said("dram__bytes.sum"),
            R"(dram__bytes.sum
  rule: sum
  measurements: 2 with it, 1 without
    id kernel value
     0 saxpy      5
     1 burn       -
     2 saxpy    7.5
  smallest 5, largest 7.5
  result: 12.5 byte, bound (lower): not every measurement has it
)");
  EXPECT_EQ(Said("dram__bytes.sum", 1),
            R"(dram__bytes.sum
  rule: sum
  measurements: 2 with it, 1 without
    id kernel value
     0 saxpy      5
  and 2 more
  smallest 5, largest 7.5
  result: 12.5 byte, bound (lower): not every measurement has it
)");
}

TEST_F(ExplainTest, AMeanShowsItsWeights) {
  Add({{kTime, 10}, {"x__y.sum.per_second", 2}});
  Add({{kTime, 30}, {"x__y.sum.per_second", 4}});
  EXPECT_EQ(Said("x__y.sum.per_second"),
            R"(x__y.sum.per_second
  rule: weighted_mean, weighted by gpu__time_duration.sum
  measurements: 2 with it, 0 without
    id kernel value weight value*weight
     0 k          2     10           20
     1 k          4     30          120
  sum(value*weight) / sum(weight) = 140 / 40
  smallest 2, largest 4
  result: 3.5, exact
)");
}

TEST_F(ExplainTest, OneMeasurementIsItsOwnValue) {
  Add({{kTime, 10}});
  EXPECT_EQ(Said(kTime),
            R"(gpu__time_duration.sum
  rule: sum
  measurements: 1 with it, 0 without
  one measurement: its own value
    id kernel value
     0 k         10
  result: 10 ns, measured
)");
}

TEST_F(ExplainTest, AFormulaShowsTheValuesOfItsMetrics) {
  const std::vector<DerivedMetric> derived = {
      {"speed", "byte/ns", "dram__bytes.sum / gpu__time_duration.sum", ""}};
  options_.derived = derived;
  Add({{kTime, 10}, {"dram__bytes.sum", 30}});
  Add({{kTime, 30}, {"dram__bytes.sum", 50}});
  EXPECT_EQ(Said("speed"),
            R"(speed
  rule: formula
  measurements: 2 with it, 0 without
  formula: dram__bytes.sum / gpu__time_duration.sum
    dram__bytes.sum = 80, exact
    gpu__time_duration.sum = 40, exact
  result: 2 byte/ns, exact
)");
}

TEST_F(ExplainTest, AnAbsentValueHasItsReason) {
  Add({{kTime, 10}, {"launch__x", 1}});
  Add({{kTime, 10}, {"launch__x", 2}});
  EXPECT_EQ(Said("launch__x"),
            R"(launch__x
  rule: spread
  measurements: 2 with it, 0 without
    id kernel value
     0 k          1
     1 k          2
  smallest 1, largest 2
  result: absent: differs between the measurements
)");
}

}  // namespace
}  // namespace rangefinder
