#include "report/terminal_columns.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "base/text.h"
#include "report/imbalance.h"
#include "report/quantity.h"
#include "report/times.h"
#include "report/two_runs.h"

namespace rangefinder {
namespace {

std::string Inclusive(RegionId, const RegionRollup& region) {
  return FormatNs(ShownOf(region).amounts->gpu_time_ns);
}

std::string Exclusive(RegionId, const RegionRollup& region) {
  if (ShownOf(region).whole != nullptr) return "–";
  return FormatNs(region.exclusive.gpu_time_ns);
}

std::string Kernels(RegionId, const RegionRollup& region) {
  if (const WholeRow* whole = ShownOf(region).whole)
    return std::string(ModeName(whole->mode));
  return FormatCount(region.inclusive.kernel_count);
}

std::string Metric(const Report& report, const RegionRollup& region,
                   std::size_t column) {
  const Amounts& amounts = *ShownOf(region).amounts;
  if (column >= amounts.cells.size()) return "–";
  return FormatCell(*report.profile, amounts.cells[column],
                    report.rollup->columns[column].unit);
}

void AddTimes(const Report& report, const Scope& scope,
              std::span<const RegionId> order,
              std::vector<TextColumn>& columns) {
  std::array<TextColumn, 4> timed{
      TextColumn{.heading = "runs"}, TextColumn{.heading = "CPU"},
      TextColumn{.heading = "busy"}, TextColumn{.heading = "idle"}};
  for (const RegionId id : order) {
    TimesCells cells = TimesCellsOf(TimesOf(report, scope, id));
    timed[0].cells.push_back(std::move(cells.runs));
    timed[1].cells.push_back(std::move(cells.cpu));
    timed[2].cells.push_back(std::move(cells.busy));
    timed[3].cells.push_back(std::move(cells.idle));
  }
  std::ranges::move(timed, std::back_inserter(columns));
}

}  // namespace

std::vector<TextColumn> TerminalColumns(const Report& report,
                                        const ScopeRollup& scope,
                                        std::span<const RegionId> order) {
  const bool timed = HasTimes(report);
  const Members members(report);
  const bool shared = scope.scope.aggregate && members.HasAny();
  std::vector<TextColumn> columns;
  const auto add = [&](std::string heading, auto cell) {
    TextColumn& column = columns.emplace_back();
    column.heading = std::move(heading);
    for (const RegionId id : order)
      column.cells.push_back(cell(id, scope.regions[Index(id)]));
  };
  const auto traced = [&](RegionId id, const RegionRollup&) {
    return TracedCell(report, scope, id);
  };
  const auto share = [&](RegionId, const RegionRollup& region) {
    return FormatShare(region.inclusive.gpu_time_ns, scope.totals.gpu_time_ns);
  };
  const auto imbalance = [&](RegionId id, const RegionRollup&) {
    return ImbalanceText(members.Of(id));
  };

  add("incl", Inclusive);
  if (HasTwoRuns(report)) add("traced", traced);
  add("excl", Exclusive);
  add("share", share);
  add("kernels", Kernels);
  if (timed && !report.traced) AddTimes(report, scope.scope, order, columns);
  // Of a job's ranks it matters more than any metric.
  if (shared && members.over_ranks()) add("max/mean", imbalance);
  const std::vector<std::string> headings = ColumnHeadings(report);
  for (std::size_t i = 0; i < headings.size(); ++i) {
    add(Ellipsize(headings[i], 26), [&](RegionId, const RegionRollup& region) {
      return Metric(report, region, report.table_columns[i]);
    });
  }
  // Beside counters they come after what was asked for.
  if (timed && report.traced) AddTimes(report, scope.scope, order, columns);
  if (shared && !members.over_ranks()) add("max/mean", imbalance);
  return columns;
}

}  // namespace rangefinder
