#include "rollup/roofline.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace rangefinder {
namespace {

constexpr std::array<std::string_view, 4> kPrecisions = {"fp64", "fp32", "fp16",
                                                         "tensor"};

// Reads values of cells and remembers the worst How among them.
class Values {
 public:
  explicit Values(const Amounts& amounts) : amounts_(amounts) {}

  std::optional<double> Get(std::optional<std::size_t> column) {
    if (!column || *column >= amounts_.cells.size()) return std::nullopt;
    const Cell& cell = amounts_.cells[*column];
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

Roofline::Roofline(const Rollup& rollup)
    : bytes_(rollup.Find("dram_bytes")), seconds_(rollup.Find("gpu_seconds")) {
  const auto bandwidth = rollup.Find("peak_dram_bandwidth");
  for (const std::string_view name : kPrecisions) {
    precisions_.push_back(
        {.name = std::string(name),
         .unit = "flop",
         .work = rollup.Find("flop_" + std::string(name)),
         .peak = rollup.Find("peak_flops_" + std::string(name)),
         .peak_bandwidth = bandwidth});
  }
  instructions_ = {.name = "instructions",
                   .unit = "inst",
                   .work = rollup.Find("warp_instructions"),
                   .peak = rollup.Find("peak_warp_instructions"),
                   .peak_bandwidth = bandwidth,
                   .other_bandwidth = rollup.Find("nominal_dram_bandwidth")};
}

std::vector<RooflineRow> Roofline::RowsOf(const Amounts& amounts) const {
  std::vector<RooflineRow> rows;
  for (const Work& precision : precisions_) {
    if (auto row = RowOf(amounts, precision)) rows.push_back(std::move(*row));
  }
  if (!rows.empty()) return rows;
  if (auto row = RowOf(amounts, instructions_)) rows.push_back(std::move(*row));
  return rows;
}

std::optional<RooflineRow> Roofline::RowOf(const Amounts& amounts,
                                           const Work& work) const {
  Values values(amounts);
  const auto done = values.Get(work.work);
  const auto bytes = values.Get(bytes_);
  const auto seconds = values.Get(seconds_);
  if (!done || *done <= 0 || !bytes || *bytes <= 0 || !seconds || *seconds <= 0)
    return std::nullopt;
  RooflineRow row{.precision = work.name,
                  .unit = work.unit,
                  .work = *done,
                  .dram_bytes = *bytes,
                  .intensity = *done / *bytes,
                  .achieved = *done / *seconds};
  row.peak = values.Get(work.peak);
  row.peak_bandwidth = values.Get(work.peak_bandwidth);
  if (!row.peak_bandwidth)
    row.peak_bandwidth = values.Get(work.other_bandwidth);
  if (row.peak && row.peak_bandwidth) {
    const double slope = row.intensity * *row.peak_bandwidth;
    row.memory_side = slope < *row.peak;
    row.limit = std::min(slope, *row.peak);
    if (*row.limit > 0) row.percent = 100 * row.achieved / *row.limit;
  }
  row.how = values.worst();
  return row;
}

}  // namespace rangefinder
