#include "rollup/roofline.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/rollup_fixture.h"

namespace rangefinder {
namespace {

class RooflineTest : public RollUpTest {
 protected:
  // A line a precision: work, rate and limit.
  std::string Rows() {
    const std::vector<DerivedMetric> derived = {
        {"dram_bytes", "", "dram__bytes.sum", ""},
        {"gpu_seconds", "", "gpu__time_duration.sum / 1000000000", ""},
        {"peak_dram_bandwidth", "", "peak__bytes.max_rate", ""},
        {"nominal_dram_bandwidth", "", "nominal__bytes.max_rate", ""},
        {"warp_instructions", "", "w__inst.sum", ""},
        {"peak_warp_instructions", "", "peak__w.max_rate", ""},
        {"flop_fp32", "", "a__flop.sum", ""},
        {"peak_flops_fp32", "", "peak__a.max_rate", ""},
        {"flop_tensor", "", "t__flop.sum", ""},
        {"peak_flops_tensor", "", "peak__t.max_rate", ""}};
    const Rollup rollup = RollUp(profile_, tree_, {.derived = derived}, notes_);
    std::string drawn;
    for (const RooflineRow& row :
         Roofline(rollup).RowsOf(rollup.scopes[0].totals)) {
      drawn += fmt::format("{} {}: {:g} {}, {:g} byte, {:g} {}/byte, {:g} {}/s",
                           row.precision, HowName(row.how), row.work, row.unit,
                           row.dram_bytes, row.intensity, row.unit,
                           row.achieved, row.unit);
      if (row.limit)
        drawn += fmt::format(" of {:g}{}", *row.limit,
                             row.memory_side ? " by memory" : "");
      if (row.percent) drawn += fmt::format(", {:g} %", *row.percent);
      drawn += '\n';
    }
    return drawn;
  }
};

TEST_F(RooflineTest, TheLimitIsTheMemoryLeftOfTheRidgeAndThePeakRightOfIt) {
  const RegionId a = Region("A");
  for (int i = 0; i < 2; ++i) {
    Kernel(a, {{kTime, 500},
               {"dram__bytes.sum", 100},
               {"a__flop.sum", 50},
               {"t__flop.sum", 1000},
               {"peak__bytes.max_rate", 1e9},
               {"peak__a.max_rate", 1e9},
               {"peak__t.max_rate", 4e9}});
  }
  EXPECT_EQ(Rows(),
            "fp32 exact: 100 flop, 200 byte, 0.5 flop/byte, 1e+08 flop/s of "
            "5e+08 by memory, 20 %\n"
            "tensor exact: 2000 flop, 200 byte, 10 flop/byte, 2e+09 flop/s of "
            "4e+09, 50 %\n");
}

TEST_F(RooflineTest, ARowIsAsGoodAsItsWorstInput) {
  const RegionId a = Region("A");
  const Values values = {{kTime, 500},
                         {"dram__bytes.sum", 100},
                         {"a__flop.sum", 50},
                         {"peak__bytes.max_rate", 1e9}};
  Kernel(a, values);
  EXPECT_EQ(Rows(),
            "fp32 exact: 50 flop, 100 byte, 0.5 flop/byte, 1e+08 flop/s\n");
  Kernel(a, {{kTime, 500}, {"dram__bytes.sum", 100}});
  EXPECT_EQ(Rows(),
            "fp32 approx: 50 flop, 200 byte, 0.25 flop/byte, 5e+07 flop/s\n");
}

TEST_F(RooflineTest, WithoutFlopInstructionsAreTheWork) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 1000},
             {"dram__bytes.sum", 200},
             {"w__inst.sum", 100},
             {"peak__w.max_rate", 1e9},
             {"nominal__bytes.max_rate", 1e9}});
  EXPECT_EQ(Rows(),
            "instructions exact: 100 inst, 200 byte, 0.5 inst/byte, 1e+08 "
            "inst/s of 5e+08 by memory, 20 %\n");
}

TEST_F(RooflineTest, WithFlopInstructionsAreNoRow) {
  Kernel(Region("A"), {{kTime, 500},
                       {"dram__bytes.sum", 100},
                       {"w__inst.sum", 70},
                       {"a__flop.sum", 50}});
  EXPECT_EQ(Rows(),
            "fp32 exact: 50 flop, 100 byte, 0.5 flop/byte, 1e+08 flop/s\n");
}

TEST_F(RooflineTest, AMeasuredBandwidthReplacesTheNominalOne) {
  Kernel(Region("A"), {{kTime, 1000},
                       {"dram__bytes.sum", 200},
                       {"w__inst.sum", 100},
                       {"peak__w.max_rate", 1e9},
                       {"peak__bytes.max_rate", 4e8},
                       {"nominal__bytes.max_rate", 1e9}});
  EXPECT_EQ(Rows(),
            "instructions exact: 100 inst, 200 byte, 0.5 inst/byte, 1e+08 "
            "inst/s of 2e+08 by memory, 50 %\n");
}

TEST_F(RooflineTest, WithoutWorkOrMeasurementThereIsNoRow) {
  const RegionId a = Region("A");
  Kernel(a, {{kTime, 500}, {"dram__bytes.sum", 100}, {"a__flop.sum", 0}});
  EXPECT_EQ(Rows(), "");
  const RegionId b = Region("B");
  Kernel(b, {{kTime, 500}, {"dram__bytes.sum", 0}, {"a__flop.sum", 5}});
  tree_[a].kernels.clear();
  EXPECT_EQ(Rows(), "");
  tree_[b].kernels.clear();
  Kernel(b, {{"dram__bytes.sum", 10}, {"a__flop.sum", 5}});
  EXPECT_EQ(Rows(), "");
}

}  // namespace
}  // namespace rangefinder
