#include "report/json_form.h"

#include <algorithm>

#include "report/estimates.h"

namespace rangefinder {
namespace {

std::uint64_t ListsIn(const Report& report, const ScopeRollup& scope,
                      RegionId from) {
  std::uint64_t lists = 1;
  std::vector<RegionId> stack = {from};
  while (!stack.empty()) {
    const RegionId at = stack.back();
    stack.pop_back();
    const RegionRollup& region = scope.regions[Index(at)];
    if (region.empty) continue;
    lists += 2 + region.all_kernels().size() + region.measured.size();
    const auto& inner = (*report.tree)[at].children;
    stack.insert(stack.end(), inner.begin(), inner.end());
  }
  return lists;
}

}  // namespace

std::vector<RegionId> JsonExtent::Order(const Report& report,
                                        const ScopeRollup& scope) const {
  std::vector<RegionId> order = ReadingOrder(report, scope, from());
  if (for_page) {
    std::erase_if(order, [&](RegionId id) { return OnPage(report, id) != id; });
  }
  return order;
}

std::uint64_t CellsOf(const Report& report, const JsonExtent& extent) {
  std::uint64_t lists = 0;
  for (const ScopeRollup* scope : extent.scopes)
    lists += ListsIn(report, *scope, extent.from());
  const auto metrics =
      std::ranges::count_if(report.rollup->columns, [](const Column& column) {
        return !column.name.starts_with("device__attribute_");
      });
  return lists * static_cast<std::uint64_t>(metrics);
}

bool AllInPlace(const Report& report, const JsonExtent& extent) {
  switch (report.options.metrics_form) {
    case MetricsForm::kAll:
      return true;
    case MetricsForm::kRequested:
      return false;
    case MetricsForm::kAuto:
      break;
  }
  return CellsOf(report, extent) <= kMostCellsInPlace;
}

std::vector<bool> ColumnsInPlace(const Report& report,
                                 std::span<const std::string_view> usual) {
  const std::vector<Column>& columns = report.rollup->columns;
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
  if (none()) add(usual);
  // What was sampled was asked for.
  add(SampledMetricsOf(report));
  if (report.options.estimates) {
    for (const std::size_t c : report.table_columns) in_place[c] = true;
  }
  return in_place;
}

std::optional<MetricsForm> FindMetricsForm(std::string_view name) {
  if (name == "auto") return MetricsForm::kAuto;
  if (name == "requested") return MetricsForm::kRequested;
  if (name == "all") return MetricsForm::kAll;
  return std::nullopt;
}

}  // namespace rangefinder
