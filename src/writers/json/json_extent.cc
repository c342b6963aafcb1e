#include "writers/json/json_extent.h"

#include <algorithm>

#include "report/sentences.h"

namespace rangefinder {
namespace {

// Scopes times lists of cells times metrics. The lists of a region are its
// inclusive values, its exclusive values, and those of each row of its kernels.
// Attributes of the device stand with the totals alone and do not count.
bool HasFewCells(const Report& report) {
  const auto metrics = static_cast<std::uint64_t>(
      std::ranges::count_if(report.rollup->columns, [](const Column& column) {
        return !column.name.starts_with("device__attribute_");
      }));
  std::uint64_t lists = 0;
  for (const ScopeRollup& scope : report.rollup->scopes) {
    ++lists;
    for (const auto& [id, region] : scope.regions.there()) {
      lists += 2 + region.all_kernels().size() + region.measured.size();
      if (lists * metrics > kMostCellsInPlace) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<RegionId> JsonExtent::Order(const Report& report,
                                        const ScopeRollup& scope) const {
  std::vector<RegionId> order = ReadingOrder(report, scope, from());
  if (page) std::erase_if(order, [&](RegionId id) { return !page->Has(id); });
  return order;
}

std::vector<bool> ColumnsInPlace(const Report& report, MetricsInPlace form) {
  using enum MetricsInPlace;
  const std::vector<Column>& columns = report.rollup->columns;
  if (form == kAll) return std::vector(columns.size(), true);
  std::vector<bool> in_place(columns.size());
  const auto add = [&](const auto& wanted) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (std::ranges::find(wanted, columns[c].name) != std::end(wanted))
        in_place[c] = true;
    }
  };
  const auto none = [&] {
    return std::ranges::find(in_place, true) == in_place.end();
  };
  add(report.options.table_metrics);
  add(report.options.requested_metrics);
  if (report.options.requested_metrics.empty() || none())
    add(report.capture.metrics);
  if (none()) {
    if (form == kAuto && HasFewCells(report))
      return std::vector(columns.size(), true);
    add(UsualMetrics());
  }
  // Sampled metrics, and the rows of sections, were asked for as well.
  add(SampledMetricsOf(report));
  if (report.options.estimates) {
    for (const std::size_t c : report.table_columns) in_place[c] = true;
  }
  if (!report.options.sections.empty()) {
    for (const SectionTable& table : report.sections->Tables()) {
      for (const SectionTableRow& row : table.rows) in_place[row.column] = true;
    }
  }
  return in_place;
}

}  // namespace rangefinder
