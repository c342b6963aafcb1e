#include "report/whole_spread.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

std::optional<double> ValueOf(const WholeRow& row,
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

}  // namespace

std::vector<WholeSpread> SpreadOfWholes(
    const RegionRollup& region, const std::vector<std::size_t>& columns) {
  std::vector<ReplayMode> modes;
  for (const WholeRow& row : region.measured) {
    if (std::ranges::find(modes, row.mode) == modes.end())
      modes.push_back(row.mode);
  }
  std::vector<std::optional<std::size_t>> wanted = {std::nullopt};
  wanted.insert(wanted.end(), columns.begin(), columns.end());
  std::vector<WholeSpread> spreads;
  for (const ReplayMode mode : modes) {
    for (const std::optional<std::size_t> column : wanted) {
      std::vector<double> values;
      for (const WholeRow& row : region.measured) {
        if (row.mode != mode) continue;
        if (const auto value = ValueOf(row, column)) values.push_back(*value);
      }
      if (values.size() < 2) continue;
      std::ranges::sort(values);
      const std::size_t middle = values.size() / 2;
      spreads.push_back(
          {.mode = mode,
           .column = column,
           .instances = values.size(),
           .min = values.front(),
           .median = values.size() % 2 == 1
                         ? values[middle]
                         : (values[middle - 1] + values[middle]) / 2,
           .max = values.back()});
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

namespace {

// Of the report's columns, where the instances' values are known.
std::string DeviationMarkdown(const Report& report,
                              const RegionRollup& region) {
  std::string table;
  for (const WholeRow& row : region.measured) {
    for (const WholeDeviation& deviation : row.deviations) {
      for (const std::size_t index : report.table_columns) {
        const Column& column = report.rollup->columns[index];
        const auto mean = ValueOf(row, index);
        if (column.metric != deviation.metric || !mean) continue;
        table +=
            fmt::format("| {} | {} | {} | {} |\n", MarkdownText(column.name),
                        deviation.instances, FormatValue(*mean, column.unit),
                        FormatValue(deviation.value, column.unit));
      }
    }
  }
  if (table.empty()) return "";
  return "\nOver the instances that were counted one by one:\n\n"
         "| Metric | Instances | Mean | Standard deviation |\n"
         "|:--|--:|--:|--:|\n" +
         table;
}

}  // namespace

std::string SpreadMarkdown(const Report& report, const RegionRollup& region) {
  const auto spreads = SpreadOfWholes(region, report.table_columns);
  if (spreads.empty()) return DeviationMarkdown(report, region);
  std::string table =
      "\nOver the instances:\n\n"
      "| Mode | Metric | Instances | Min | Median | Max |\n"
      "|:--|:--|--:|--:|--:|--:|\n";
  for (const WholeSpread& spread : spreads) {
    const Column* column =
        spread.column ? &report.rollup->columns[*spread.column] : nullptr;
    const auto text = [&](double value) {
      return column != nullptr ? FormatValue(value, column->unit)
                               : FormatNs(value);
    };
    table +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", ModeName(spread.mode),
                    column != nullptr ? MarkdownText(column->name) : "Time",
                    spread.instances, text(spread.min), text(spread.median),
                    text(spread.max));
  }
  return table + DeviationMarkdown(report, region);
}

}  // namespace rangefinder
