#include "rollup/roofline.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rangefinder {
namespace {

constexpr std::array<std::string_view, 4> kPrecisions = {"fp64", "fp32", "fp16",
                                                         "tensor"};

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::size_t ColumnOf(const Rollup& rollup, std::string_view name) {
  const auto at = std::ranges::find(rollup.columns, name, &Column::name);
  return at == rollup.columns.end()
             ? kNone
             : static_cast<std::size_t>(at - rollup.columns.begin());
}

// Takes values out of cells and remembers the worst way they came about.
class Values {
 public:
  explicit Values(const Amounts& amounts) : amounts_(amounts) {}

  std::optional<double> Get(std::size_t column) {
    if (column >= amounts_.cells.size()) return std::nullopt;
    const Cell& cell = amounts_.cells[column];
    if (cell.how == How::kAbsent || cell.is_text) return std::nullopt;
    worst_ = std::max(worst_, cell.how);
    return cell.value;
  }

  How worst() const { return worst_; }

 private:
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

Roofline::Roofline(const Rollup& rollup)
    : bytes_(ColumnOf(rollup, "dram_bytes")),
      seconds_(ColumnOf(rollup, "gpu_seconds")),
      peak_bandwidth_(ColumnOf(rollup, "peak_dram_bandwidth")) {
  for (const std::string_view name : kPrecisions) {
    precisions_.push_back(
        {.name = std::string(name),
         .flop = ColumnOf(rollup, "flop_" + std::string(name)),
         .peak_flops = ColumnOf(rollup, "peak_flops_" + std::string(name))});
  }
}

std::vector<RooflineRow> Roofline::RowsOf(const Amounts& amounts) const {
  std::vector<RooflineRow> rows;
  for (const Precision& precision : precisions_) {
    Values values(amounts);
    const auto flop = values.Get(precision.flop);
    const auto bytes = values.Get(bytes_);
    const auto seconds = values.Get(seconds_);
    if (!flop || *flop <= 0 || !bytes || *bytes <= 0 || !seconds ||
        *seconds <= 0)
      continue;
    RooflineRow row{.precision = precision.name,
                    .flop = *flop,
                    .dram_bytes = *bytes,
                    .intensity = *flop / *bytes,
                    .achieved_flops = *flop / *seconds};
    row.peak_flops = values.Get(precision.peak_flops);
    row.peak_bandwidth = values.Get(peak_bandwidth_);
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
