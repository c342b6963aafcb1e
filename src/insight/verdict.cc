#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "insight/findings.h"

namespace rangefinder {
namespace {

constexpr std::array<std::string_view, 2> kCompute = {
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "compute_peak_share"};  // of samples
constexpr std::array<std::string_view, 4> kMemory = {
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_peak_share"};  // of samples
constexpr std::string_view kWaves = "launch__waves_per_multiprocessor";

// Below this percentage of its peak, a unit is no bottleneck; Nsight Compute
// uses the same limit.
constexpr double kBusyPercent = 60;

const Cell* FindCell(const Rollup& rollup, const Amounts& amounts,
                     std::string_view metric) {
  const auto column = rollup.Find(metric);
  return column ? &amounts.cells[*column] : nullptr;
}

// The first of the metrics that has a value.
const Cell* FirstValue(const Rollup& rollup, const Amounts& amounts,
                       std::span<const std::string_view> metrics) {
  for (const std::string_view metric : metrics) {
    const Cell* cell = FindCell(rollup, amounts, metric);
    if (cell != nullptr && cell->how != How::kAbsent) return cell;
  }
  return nullptr;
}

// The largest number of waves of any launch.
std::optional<double> MostWaves(const Cell* cell) {
  if (cell == nullptr || cell->present == 0) return std::nullopt;
  if (cell->has_spread) return cell->high;
  if (cell->how == How::kAbsent) return std::nullopt;
  return cell->value;
}

std::string Percent(const Cell& cell) {
  const bool about = cell.how == How::kApprox || cell.how == How::kEstimated;
  const char* mark = about ? "~" : cell.how == How::kBound ? "at most " : "";
  return fmt::format("{}{:.0f} %", mark, cell.value);
}

}  // namespace

LimitVerdict VerdictOf(const Rollup& rollup, const Amounts& amounts) {
  const Cell* compute = FirstValue(rollup, amounts, kCompute);
  const Cell* memory = FirstValue(rollup, amounts, kMemory);
  if (compute == nullptr || memory == nullptr) return {};
  LimitVerdict verdict{
      .compute_percent = compute->value,
      .memory_percent = memory->value,
      .compute_error = compute->error,
      .memory_error = memory->error,
      .is_bound = compute->how == How::kBound || memory->how == How::kBound};
  const std::string numbers = fmt::format("compute {}, memory {} of peak",
                                          Percent(*compute), Percent(*memory));
  const auto waves = MostWaves(FindCell(rollup, amounts, kWaves));
  if (std::max(compute->value, memory->value) >= kBusyPercent) {
    const bool by_compute = compute->value >= memory->value;
    verdict.text =
        (by_compute ? "compute bound: " : "memory bound: ") + numbers;
  } else if (waves && *waves < 1) {
    verdict.text = fmt::format(
        "launch bound: no launch fills the device ({:.2f} waves at most); {}",
        *waves, numbers);
  } else {
    verdict.text = "latency bound: " + numbers;
  }
  return verdict;
}

}  // namespace rangefinder
