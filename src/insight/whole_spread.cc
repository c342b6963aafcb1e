#include "insight/whole_spread.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/median.h"
#include "base/numbers.h"

namespace rangefinder {

std::optional<double> ValueOfWhole(const WholeRow& row,
                                   std::optional<std::size_t> column) {
  if (!column) {
    if (row.amounts.gpu_time_ns > 0) return row.amounts.gpu_time_ns;
    return std::nullopt;
  }
  if (*column >= row.amounts.cells.size()) return std::nullopt;
  const Cell& cell = row.amounts.cells[*column];
  if (cell.how == How::kAbsent || cell.is_text) return std::nullopt;
  return cell.value;
}

std::vector<WholeSpread> SpreadOfWholes(
    const RegionRollup& region, const std::vector<std::size_t>& columns) {
  std::vector<ReplayMode> modes;
  for (const WholeRow& row : region.measured) AddOnce(modes, row.mode);
  std::vector<std::optional<std::size_t>> wanted = {std::nullopt};
  wanted.insert(wanted.end(), columns.begin(), columns.end());
  std::vector<WholeSpread> spreads;
  for (const ReplayMode mode : modes) {
    for (const std::optional<std::size_t> column : wanted) {
      std::vector<double> values;
      for (const WholeRow& row : region.measured) {
        if (row.mode != mode) continue;
        if (const auto value = ValueOfWhole(row, column))
          values.push_back(*value);
      }
      if (values.size() < 2) continue;
      const auto [min, max] = std::ranges::minmax(values);
      spreads.push_back({.mode = mode,
                         .column = column,
                         .instances = values.size(),
                         .min = min,
                         .median = Median(values),
                         .max = max});
    }
  }
  return spreads;
}

std::string WholeText(const WholeRow& row) {
  std::string text(ModeName(row.mode));
  if (row.instances > 1)
    text += fmt::format(", mean of {} instances", FormatCount(row.instances));
  return text;
}

}  // namespace rangefinder
