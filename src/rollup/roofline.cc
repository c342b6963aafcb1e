#include "rollup/roofline.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rangefinder {
namespace {

constexpr std::array<std::string_view, 4> kPrecisions = {"fp64", "fp32", "fp16",
                                                         "tensor"};

// Looks values up by column name and remembers the worst way they came about.
class Values {
 public:
  Values(const Rollup& rollup, const Amounts& amounts)
      : rollup_(rollup), amounts_(amounts) {}

  std::optional<double> Get(std::string_view name) {
    const auto at = std::ranges::find(rollup_.columns, name, &Column::name);
    if (at == rollup_.columns.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(at - rollup_.columns.begin());
    const Cell& cell = amounts_.cells[index];
    if (cell.how == How::kAbsent || cell.is_text) return std::nullopt;
    worst_ = std::max(worst_, cell.how);
    return cell.value;
  }

  How worst() const { return worst_; }

 private:
  const Rollup& rollup_;
  const Amounts& amounts_;
  How worst_ = How::kExact;
};

}  // namespace

std::vector<std::string> RooflineMetrics() {
  std::vector<std::string> names = {"dram_bytes", "gpu_seconds",
                                    "peak_dram_bandwidth"};
  for (const std::string_view precision : kPrecisions) {
    names.push_back("flop_" + std::string(precision));
    names.push_back("peak_flops_" + std::string(precision));
  }
  return names;
}

std::vector<RooflineRow> RooflineOf(const Rollup& rollup,
                                    const Amounts& amounts) {
  std::vector<RooflineRow> rows;
  for (const std::string_view precision : kPrecisions) {
    Values values(rollup, amounts);
    const auto flop = values.Get("flop_" + std::string(precision));
    const auto bytes = values.Get("dram_bytes");
    const auto seconds = values.Get("gpu_seconds");
    if (!flop || *flop <= 0 || !bytes || *bytes <= 0 || !seconds ||
        *seconds <= 0)
      continue;
    RooflineRow row{.precision = std::string(precision),
                    .flop = *flop,
                    .dram_bytes = *bytes,
                    .intensity = *flop / *bytes,
                    .achieved_flops = *flop / *seconds};
    row.peak_flops = values.Get("peak_flops_" + std::string(precision));
    row.peak_bandwidth = values.Get("peak_dram_bandwidth");
    if (row.peak_flops && row.peak_bandwidth) {
      const double slope = row.intensity * *row.peak_bandwidth;
      row.memory_side = slope < *row.peak_flops;
      row.limit_flops = std::min(slope, *row.peak_flops);
      if (*row.limit_flops > 0)
        row.percent = 100 * row.achieved_flops / *row.limit_flops;
    }
    row.how = values.worst();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace rangefinder
