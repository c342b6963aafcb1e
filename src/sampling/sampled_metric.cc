#include "sampling/sampled_metric.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/lists.h"
#include "profile/metric_name.h"

namespace rangefinder {
namespace {

// ---- The tracer's own work --------------------------------------------------
// Recording kernels' times runs some instructions in every warp, and some more
// in the warps of one block.

// Counts per warp and per warp of one block; `unsure` is relative.
constexpr TracerWork PerWarp(double counts, double of_block, double unsure) {
  return {.per = {counts, of_block},
          .unsure = {unsure * counts, unsure * of_block}};
}

struct WorkRow {
  std::string_view quantity;
  TracerWork work;
};

// For a quantity that is uniformly distributed from 0 to its maximum.
constexpr double kAnyPart = 0.577;  // standard deviation by mean

// Measured on H200s with CUPTI of CUDA 13.0 (docs/measured.md, "The tracer's
// own work"). The second and third row were not measured: each instruction is
// taken to be issued once and executed by all threads.
constexpr std::array kWork = {
    WorkRow{"inst_executed", PerWarp(8, 5, 0.01)},
    WorkRow{"inst_issued", PerWarp(8, 5, 0.1)},
    WorkRow{"thread_inst_executed", PerWarp(8 * 32, 5 * 32, 0.1)},
    WorkRow{"thread_inst_executed_pred_on", PerWarp(8 * 32, 2 * 32, 0.05)},
    WorkRow{"inst_executed_pipe_alu", PerWarp(4, 1, 0.01)},
};

constexpr std::array<std::string_view, 6> kWithoutTracer = {
    "inst_executed_pipe_fma",     "inst_executed_pipe_fmaheavy",
    "inst_executed_pipe_fmalite", "inst_executed_pipe_fp64",
    "inst_executed_pipe_tensor",  "inst_executed_pipe_xu"};

// The tracer keeps an SM busy for longer: by some 230 cycles if the SM runs few
// warps. Of many warps, each warp that computes adds up to 5 cycles, and warps
// that wait for memory hide the tracer's work. The count is a sum over SMs,
// divided by `divisor`.
TracerWork CyclesOf(double divisor) {
  return {.per = {.sms = 230 / divisor},
          .unsure = {.warps = 1 / divisor, .sms = 115 / divisor}};
}

std::optional<TracerWork> WorkOf(const MetricName& metric,
                                 std::string_view quantity, double sms) {
  if (metric.unit == "sm" && quantity == "cycles_active" && sms > 0)
    return CyclesOf(metric.across == Across::kAvg ? sms : 1);
  const auto* const known =
      std::ranges::find(kWork, quantity, &WorkRow::quantity);
  if (known != kWork.end()) return known->work;
  if (Has(kWithoutTracer, quantity) ||
      quantity.find("inst_") == std::string_view::npos)
    return std::nullopt;
  const bool of_threads = quantity.find("thread_inst") != quantity.npos;
  const double threads = of_threads ? 32 : 1;
  return PerWarp(4 * threads, 2.5 * threads, kAnyPart);
}

// ---- What counts ------------------------------------------------------------

// Copies by the host and by other GPUs count in these units.
constexpr std::array<std::string_view, 3> kOthersCount = {"pcie", "nvltx",
                                                          "nvlrx"};

// The traffic of a kernel depends on the lines that earlier launches left in
// the caches.
constexpr std::array<std::string_view, 6> kTraffic = {"dram", "lts",   "l1tex",
                                                      "pcie", "nvltx", "nvlrx"};

// A unit of an SM, or of the memory behind it, counts about once per ns at its
// peak: an instruction, a cycle, a sector of 32 bytes. With an unknown number
// of SMs nothing is little.
double LittleOf(const MetricName& metric, double sms) {
  if (sms <= 0) return 0;
  const double per_count =
      metric.quantity.find("bytes") != std::string_view::npos ? 32 : 1;
  return 0.01 * per_count * (metric.across == Across::kAvg ? 1 : sms);
}

// Counts of one instruction of a warp: its 32 threads, or up to 16 cycles of a
// pipe, whose mean over the SMs is sampled.
double OfInstruction(const MetricName& metric, std::string_view quantity,
                     double sms) {
  const double counts = quantity.starts_with("thread_") ? 32
                        : quantity.starts_with("pipe_") ? 16
                                                        : 1;
  return metric.across == Across::kAvg ? counts / std::max(sms, 1.0) : counts;
}

}  // namespace

EstimatedMetric SampledMetric(std::string_view name, double sms) {
  constexpr std::string_view kRealtime = "_realtime";
  const MetricName parsed = ParseMetricName(name);
  std::string_view quantity = parsed.quantity;
  if (quantity.ends_with(kRealtime)) quantity.remove_suffix(kRealtime.size());
  EstimatedMetric metric{.name = std::string(name),
                         .tracer = WorkOf(parsed, quantity, sms),
                         .little = LittleOf(parsed, sms)};
  metric.comes_later = parsed.base == "dram__bytes_write";
  metric.of_launches =
      !Has(kOthersCount, parsed.unit) && quantity != "warps_inactive_sm_idle";
  metric.alike = Has(kTraffic, parsed.unit) ? 1e-2 : 1e-3;
  metric.of_code = quantity.find("inst_executed") != std::string_view::npos ||
                   quantity.starts_with("pipe_");
  metric.of_instruction = OfInstruction(parsed, quantity, sms);
  return metric;
}

}  // namespace rangefinder
