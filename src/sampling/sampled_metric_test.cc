#include "sampling/sampled_metric.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

std::string Draw(const LaunchSize& size) {
  return fmt::format("{:g} {:g} {:g}", size.warps, size.block_warps, size.sms);
}

// The counts per warp, per warp of one block, per SM, and their standard
// errors; or "none".
std::string Draw(std::string_view metric, double sms = 132) {
  const auto work = SampledMetric(metric, sms).tracer;
  return work ? Draw(work->per) + ", " + Draw(work->unsure) : "none";
}

TEST(SampledMetric, HasTheTracersWorkWhateverItsUnitAndGroup) {
  EXPECT_EQ(Draw("sm__inst_executed.sum"), "8 5 0, 0.08 0.05 0");
  EXPECT_EQ(Draw("smsp__inst_executed.sum"), "8 5 0, 0.08 0.05 0");
  EXPECT_EQ(Draw("TPC.TriageCompute.sm__inst_executed_realtime.sum"),
            "8 5 0, 0.08 0.05 0");
  EXPECT_EQ(Draw("TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime.sum"),
            "4 1 0, 0.04 0.01 0");
  EXPECT_EQ(
      Draw("SM_A.TriageCompute.sm__thread_inst_executed_pred_on_realtime.sum"),
      "256 64 0, 12.8 3.2 0");
}

TEST(SampledMetric, HasNoWorkOfTheTracerInOtherPipesAndOtherCounters) {
  for (const char* metric :
       {"TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum",
        "SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime.sum",
        "SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts.sum",
        "TPC.TriageCompute.tpc__warps_active_realtime.sum",
        "dram__bytes_read.sum"})
    EXPECT_EQ(Draw(metric), "none") << metric;
}

TEST(SampledMetric, HasTheCyclesThatTheTracerAddsToBusySms) {
  EXPECT_EQ(Draw("sm__cycles_active.avg", 115), "0 0 2, 0.00869565 0 1");
  EXPECT_EQ(Draw("TPC.TriageCompute.sm__cycles_active.sum"),
            "0 0 230, 1 0 115");
  EXPECT_EQ(Draw("sm__cycles_active.avg", 0), "none");
}

TEST(SampledMetric, HasHalfOfTheMostWhereTheTracersWorkIsNotMeasured) {
  EXPECT_EQ(Draw("sm__inst_executed_pipe_lsu.sum"), "4 2.5 0, 2.308 1.4425 0");
  EXPECT_EQ(Draw("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"),
            "128 80 0, 73.856 46.16 0");
}

TEST(SampledMetric, CountsForTheFitIfLaunchesExplainIt) {
  EXPECT_TRUE(SampledMetric("sm__inst_executed.sum").judges());
  EXPECT_TRUE(SampledMetric("TPC.TriageCompute."
                            "tpc__warps_inactive_sm_active_realtime.sum")
                  .judges());
  EXPECT_TRUE(SampledMetric("dram__bytes_write.sum").of_launches);
  EXPECT_FALSE(SampledMetric("dram__bytes_write.sum").judges());
  for (const char* metric :
       {"TPC.TriageCompute.tpc__warps_inactive_sm_idle_realtime.sum",
        "PCI.TriageCompute.pcie__read_bytes.sum", "nvlrx__bytes.sum"}) {
    EXPECT_FALSE(SampledMetric(metric).of_launches) << metric;
    EXPECT_FALSE(SampledMetric(metric).judges()) << metric;
  }
}

// A hundredth of the counts of the SMs, or of the memory behind them, in a ns.
TEST(SampledMetric, HasALimitForLittleCounts) {
  EXPECT_EQ(SampledMetric("sm__inst_executed.sum", 132).little, 1.32);
  EXPECT_EQ(SampledMetric("sm__cycles_active.avg", 132).little, 0.01);
  EXPECT_EQ(SampledMetric("dram__bytes_read.sum", 132).little, 42.24);
  EXPECT_EQ(SampledMetric("dram__bytes_read.sum").little, 0);
  EXPECT_EQ(SampledMetric("sm__cycles_active.avg").little, 0);
}

TEST(SampledMetric, DiffersFromLaunchToLaunchByOnePercentInTraffic) {
  EXPECT_EQ(SampledMetric("SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts"
                          ".sum")
                .alike,
            1e-2);
  EXPECT_EQ(SampledMetric("sm__cycles_active.avg").alike, 1e-3);
}

TEST(SampledMetric, CountsCodeInInstructionsAndPipes) {
  for (const char* metric :
       {"sm__inst_executed.sum", "sm__pipe_tensor_cycles_active.avg",
        "TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum",
        "SM_A.TriageCompute.sm__thread_inst_executed_pred_on_realtime.sum"})
    EXPECT_TRUE(SampledMetric(metric).of_code) << metric;
  for (const char* metric :
       {"sm__inst_issued.sum", "sm__cycles_active.avg", "lts__t_sectors.sum",
        "dram__bytes_read.sum",
        "SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts.sum"})
    EXPECT_FALSE(SampledMetric(metric).of_code) << metric;
}

TEST(SampledMetric, HasTheCountsOfAnInstruction) {
  const auto counts = [](const char* metric) {
    return SampledMetric(metric, 132).of_instruction;
  };
  EXPECT_EQ(counts("sm__inst_executed.sum"), 1);
  EXPECT_EQ(counts("SM_A.TriageCompute."
                   "sm__thread_inst_executed_pred_on_realtime.sum"),
            32);
  EXPECT_EQ(counts("sm__pipe_tensor_cycles_active.avg"), 16.0 / 132);
}

}  // namespace
}  // namespace rangefinder
