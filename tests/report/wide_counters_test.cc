// The wide set of counters: derived metrics of regions whose counters are
// known, from a trace's samples.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.h"
#include "tests/support/report_test.h"
#include "tests/support/trace_builder.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr double kSms = 100;
constexpr double kCyclesOfUs = 1500;
constexpr double kSlots = 64;  // of warps, in an SM
constexpr double kWarps = 64 * 4;

// The count of a metric in a launch of `a` (30 us) and of `b` (50 us), and on
// the device in a microsecond without a launch.
struct WideCounts {
  const char* metric;
  double a, b, idle;
};

constexpr double Slots(double us, double part) {
  return us * kCyclesOfUs * kSms * kSlots * part;
}

// `a` keeps a quarter of the SMs idle and half of the warp slots of the others;
// `b` keeps all SMs busy with all warps.
const std::vector<WideCounts>& Wide() {
  static const std::vector<WideCounts> wide = {
      {"sm__inst_executed.sum", 9e6 + 8 * kWarps + 40, 12e6 + 8 * kWarps + 40,
       0},
      {"sm__cycles_active.avg", 30 * kCyclesOfUs * 0.75, 50 * kCyclesOfUs, 0},
      {"dram__bytes_read.sum", 3e6, 1e6, 0},
      {"dram__bytes_write.sum", 1e6, 1e6, 0},
      {"lts__t_sectors.sum", 2e5, 1e5, 0},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 9e5, 0, 0},
      {"TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime.sum",
       2.25e6 + 4.5 * kWarps + 20, 1e6 + 4.5 * kWarps + 20, 0},
      {"TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum", 4.5e6, 3e6,
       0},
      {"TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime.avg", 0, 30000,
       0},
      {"TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.avg", 13500,
       60000, 0},
      {"TPC.TriageCompute.tpc__warps_active_shader_cs_realtime.sum",
       Slots(30, 0.375), Slots(50, 1), 0},
      {"TPC.TriageCompute.tpc__warps_inactive_sm_active_realtime.sum",
       Slots(30, 0.375), 0, 0},
      {"TPC.TriageCompute.tpc__warps_inactive_sm_idle_realtime.sum",
       Slots(30, 0.25), 0, Slots(1, 1)},
      {"SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime.sum", 225000, 0,
       0},
      {"SM_A.TriageCompute.sm__thread_inst_executed_pred_on_realtime.sum",
       9e6 * 16 + 256 * kWarps + 1280, 12e6 * 32 + 256 * kWarps + 1280, 0},
      {"SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts.sum", 1.8e6, 1e5, 0},
      {"SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
       1.2e6, 1e3, 0},
      {"SM_A.TriageCompute.l1tex__m_xbar2l1tex_read_sectors_realtime.sum", 1e5,
       5e4, 0},
      {"PCI.TriageCompute.pcie__read_bytes.sum", 3e5, 0, 10},
      {"PCI.TriageCompute.pcie__write_bytes.sum", 6e4, 0, 10},
  };
  return wide;
}

// Steps of 100 us with a kernel of 30 us in `a` and one of 50 us in `b`.
std::string Trace(const std::vector<WideCounts>& wide, int steps) {
  std::string text =
      "process pid=7 exe=/bin/app\ngpu 0 NVIDIA_H100\n"
      "peaks 0 memory_khz=3201000 bus=6144 sms=100 khz=1500000\n";
  struct Launch {
    int from, to;
    bool is_a;
  };
  std::vector<Launch> launches;
  for (int i = 0; i < steps; ++i) {
    const int at = 10 + 100 * i;
    text += fmt::format(
        "{0} push step\n{0} push a\n{1} launch {2}\n{1} pop\n{1} push b\n"
        "{3} launch {4}\n{3} pop\n{3} pop\n",
        at, at + 1, 2 * i + 1, at + 2, 2 * i + 2);
    launches.push_back({at + 3, at + 33, true});
    launches.push_back({at + 34, at + 84, false});
    text += fmt::format(
        "kernel load {}-{} of={} grid=64 block=128\n"
        "kernel add {}-{} of={} grid=64 block=128\n",
        at + 3, at + 33, 2 * i + 1, at + 34, at + 84, 2 * i + 2);
  }
  text += "sampling 0 interval=130 chip=GH100 metrics=";
  for (const WideCounts& one : wide)
    text += fmt::format("{}{}", &one == wide.data() ? "" : ",", one.metric);
  text += "\n";
  for (int at = 0; at + 130 < 10 + 100 * steps; at += 130) {
    double a = 0, b = 0, idle = 130;  // launches, launches, us
    for (const Launch& launch : launches) {
      const double us =
          std::min(launch.to, at + 130) - std::max(launch.from, at);
      if (us <= 0) continue;
      (launch.is_a ? a : b) += us / (launch.to - launch.from);
      idle -= us;
    }
    text += fmt::format("sample 0 {}-{} ", at, at + 130);
    for (const WideCounts& one : wide)
      text += fmt::format("{}{}", &one == wide.data() ? "" : ",",
                          a * one.a + b * one.b + idle * one.idle);
    text += "\n";
  }
  return text;
}

class WideCounters : public testing::ReportTest {
 protected:
  void Make(const std::vector<WideCounts>& wide) {
    Take(testing::AnalyzeTrace(Trace(wide, 500)));
  }
  Json MetricsOf(const std::string& region) {
    return Region(region).at("inclusive").at("metrics");
  }
  // An estimate with an error, near `value` by 1 % of `scale`.
  void Expect(const std::string& region, const std::string& metric,
              double value, double scale = 100) {
    const Json cell = MetricsOf(region).value(metric, Json());
    ASSERT_TRUE(cell.is_object() && cell["value"].is_number())
        << region << " " << metric << " " << cell;
    EXPECT_EQ(cell["how"], "estimated") << metric;
    EXPECT_NEAR(cell["value"], value, 0.01 * scale) << region << " " << metric;
    EXPECT_GE(cell["standard_error"].get<double>(), 0) << metric;
  }
};

TEST_F(WideCounters, MakeIdleSmsAndSharesOfPipes) {
  Make(Wide());
  Expect("a", "sm_idle_share", 25);
  Expect("b", "sm_idle_share", 0);
  // 9 million of the 4 slots in 3.375 million active cycles.
  const double cycles = 30 * kCyclesOfUs * 0.75 * kSms;
  Expect("a", "issue_slot_share", 100 * 9e6 / (4 * cycles));
  Expect("a", "alu_pipe_share", 100 * 2.25e6 / (2 * cycles));
  Expect("a", "fma_pipe_share", 100 * 4.5e6 / (4 * cycles));
  Expect("a", "xu_pipe_share", 100 * 225000 / (0.5 * cycles));
  Expect("a", "lsu_pipe_share", 100 * 1.8e6 / cycles);
  Expect("a", "fp64_pipe_share", 0);
  Expect("b", "fp64_pipe_share", 100 * 30000 / (4 * 50 * kCyclesOfUs));
  Expect("a", "tensor_pipe_share", 10);
  Expect("b", "tensor_peak_share", 20);
}

TEST_F(WideCounters, MakeDivergenceConflictsAndRates) {
  Make(Wide());
  Expect("a", "threads_per_instruction", 16, 32);
  Expect("b", "threads_per_instruction", 32, 32);
  Expect("a", "bank_conflict_share", 75);
  Expect("a", "shared_wavefront_share", 100 * 1.2 / 1.8);
  Expect("a", "l1_fill_bandwidth", 32 * 1e5 / 30e-6, 1e11);
  Expect("a", "pcie_read_bytes_per_second", 3e5 / 30e-6, 1e10);
  Expect("a", "pcie_write_bytes_per_second", 6e4 / 30e-6, 2e9);
}

TEST_F(WideCounters, OfAnIdleDeviceOrOfPcieDoNotSpoilTheFit) {
  Make(Wide());
  const Json& fit = json_["capture"]["sampling"][0]["fit"];
  EXPECT_EQ(fit["verdict"], "good") << fit["reasons"];
  EXPECT_GT(fit["metrics"]["TPC.TriageCompute.tpc__warps_inactive_sm_idle_"
                           "realtime.sum"]["outside"]
                .get<double>(),
            0);
}

// A counter that the device lacks makes no metric, and no zero.
TEST_F(WideCounters, ThatAreAbsentMakeNoMetric) {
  std::vector<WideCounts> few = Wide();
  std::erase_if(few, [](const WideCounts& one) {
    return std::string_view(one.metric).starts_with("SM_A");
  });
  Make(few);
  const Json metrics = MetricsOf("a");
  EXPECT_TRUE(metrics.contains("sm_idle_share"));
  for (const char* metric :
       {"threads_per_instruction", "xu_pipe_share", "bank_conflict_share",
        "lsu_pipe_share", "nvlink_read_bytes_per_second"})
    EXPECT_FALSE(metrics.contains(metric)) << metric;
}

TEST_F(WideCounters, AddNoColumnToTheTablesOfRegions) {
  Make(Wide());
  EXPECT_THAT(documents_.terminal, HasSubstr("DRAM % of peak"));
  for (const char* metric :
       {"sm_idle_share", "fma_pipe_share", "TriageCompute"})
    EXPECT_THAT(documents_.terminal, Not(HasSubstr(metric))) << metric;
}

}  // namespace
}  // namespace rangefinder
