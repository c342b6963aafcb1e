#include "sampling/sampled_metric.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "profile/metric_name.h"

namespace rangefinder {
namespace {

template <std::size_t kCount>
bool IsOneOf(const std::array<std::string_view, kCount>& words,
             std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// ---- The tracer's own instructions ------------------------------------------
// Recording kernels' times runs some instructions in every warp.

struct WorkRow {
  std::string_view quantity;
  InstructionCorrection work;
};

// For a quantity that is uniformly distributed from 0 to its maximum.
constexpr double kAnyPart = 0.577;  // standard deviation by mean

// Measured on Hopper with CUPTI of CUDA 13.0 (docs/measured.md, "A wide set in
// one pass"). The number of instructions is known to a few percent; of 8 per
// warp, 4 to 5 go to the ALU pipe. Nearly all threads of a warp execute them.
constexpr std::array kWork = {
    WorkRow{"inst_executed", {.per_warp = 8, .per_launch = 40, .unsure = 0.03}},
    WorkRow{"inst_issued", {.per_warp = 8, .per_launch = 40, .unsure = 0.1}},
    WorkRow{"thread_inst_executed",
            {.per_warp = 8 * 32, .per_launch = 40 * 32, .unsure = 0.1}},
    WorkRow{"thread_inst_executed_pred_on",
            {.per_warp = 8 * 32, .per_launch = 40 * 32, .unsure = 0.2}},
    WorkRow{"inst_executed_pipe_alu",
            {.per_warp = 4.5, .per_launch = 20, .unsure = 0.1}},
};

constexpr std::array<std::string_view, 6> kWithoutTracer = {
    "inst_executed_pipe_fma",     "inst_executed_pipe_fmaheavy",
    "inst_executed_pipe_fmalite", "inst_executed_pipe_fp64",
    "inst_executed_pipe_tensor",  "inst_executed_pipe_xu"};

std::optional<InstructionCorrection> TracerWork(std::string_view quantity) {
  const auto* const known =
      std::ranges::find(kWork, quantity, &WorkRow::quantity);
  if (known != kWork.end()) return known->work;
  if (IsOneOf(kWithoutTracer, quantity) ||
      quantity.find("inst_") == std::string_view::npos)
    return std::nullopt;
  const bool of_threads = quantity.find("thread_inst") != quantity.npos;
  const double threads = of_threads ? 32 : 1;
  return InstructionCorrection{
      .per_warp = 4 * threads, .per_launch = 20 * threads, .unsure = kAnyPart};
}

// ---- What counts ------------------------------------------------------------

// Copies of the host and other GPUs count in these.
constexpr std::array<std::string_view, 3> kOthersCount = {"pcie", "nvltx",
                                                          "nvlrx"};

// The traffic of a kernel depends on the lines that earlier launches left in
// the caches.
constexpr std::array<std::string_view, 6> kTraffic = {"dram", "lts",   "l1tex",
                                                      "pcie", "nvltx", "nvlrx"};

}  // namespace

EstimatedMetric SampledMetric(std::string_view name) {
  constexpr std::string_view kRealtime = "_realtime";
  const MetricName parsed = ParseMetricName(name);
  std::string_view quantity = parsed.quantity;
  if (quantity.ends_with(kRealtime)) quantity.remove_suffix(kRealtime.size());
  EstimatedMetric metric{.name = std::string(name),
                         .tracer = TracerWork(quantity)};
  metric.comes_later = parsed.base == "dram__bytes_write";
  metric.of_launches = !IsOneOf(kOthersCount, parsed.unit) &&
                       quantity != "warps_inactive_sm_idle";
  metric.alike = IsOneOf(kTraffic, parsed.unit) ? 1e-2 : 1e-3;
  metric.of_code = quantity.find("inst_executed") != std::string_view::npos ||
                   quantity.starts_with("pipe_");
  return metric;
}

}  // namespace rangefinder
