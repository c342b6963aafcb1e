#include "report/terminal_checks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/numbers.h"
#include "base/text.h"
#include "report/count_checks.h"
#include "report/terminal_table.h"

namespace rangefinder {
namespace {

// Those of the regions, each region's together; at most `most`.
std::vector<const CountCheck*> Chosen(const Report& report,
                                      std::span<const RegionId> regions,
                                      std::size_t most) {
  std::vector<const CountCheck*> chosen;
  for (const RegionId region : regions) {
    for (const CountCheck& check : report.options.checks) {
      if (check.region == region) chosen.push_back(&check);
    }
  }
  if (chosen.size() > most) {
    std::ranges::stable_sort(chosen, {}, &CountCheck::agrees);
    chosen.resize(most);
  }
  return chosen;
}

std::string ApartText(const CountCheck& check) {
  if (check.exact == 0) return "–";
  const double percent = 100 * (check.estimate / check.exact - 1);
  if (std::abs(percent) < 0.05) return "0.0 %";
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 9.95 ? 1 : 0);
}

using Texts = std::array<std::string, 6>;

Texts TextsOf(const Report& report, const CountCheck& check) {
  const Column& column = report.rollup->columns[check.column];
  return {Printable(RegionName(report, check.region)),
          MetricHeading(report, check.column),
          FormatEstimate(check.estimate, check.estimate_error, column.unit),
          FormatEstimate(check.exact, check.exact_error, column.unit),
          ApartText(check),
          check.agrees ? "agree" : "differ"};
}

}  // namespace

ChecksTable ChecksForTerminal(const Report& report,
                              std::span<const RegionId> regions,
                              std::size_t width, std::size_t most) {
  ChecksTable table;
  const std::vector<const CountCheck*> chosen = Chosen(report, regions, most);
  if (chosen.empty()) return table;
  table.title = CheckText(report) + "; of one instance, ± one standard error";
  std::vector<Texts> rows = {
      {"region", "counter", "estimate", "exact", "apart", "they"}};
  for (const CountCheck* check : chosen)
    rows.push_back(TextsOf(report, *check));
  std::array<std::size_t, 6> widths{};
  std::size_t all = 2 * (widths.size() - 1);
  for (std::size_t c = 0; c < widths.size(); ++c) {
    for (const Texts& row : rows)
      widths[c] = std::max(widths[c], DisplayWidth(row[c]));
    all += widths[c];
  }
  // The names give way.
  for (const std::size_t c : {0U, 1U}) {
    const std::size_t over = all > width ? all - width : 0;
    const std::size_t less = std::min(
        over, widths[c] - std::min<std::size_t>(widths[c], kNarrowestName));
    widths[c] -= less;
    all -= less;
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string text;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const bool left = c < 2 || c == 5;
      const std::string cell = Ellipsize(rows[r][c], widths[c]);
      text += c == 0 ? "" : "  ";
      text += left ? PadRight(cell, widths[c]) : PadLeft(cell, widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    if (r == 0)
      table.heading = std::move(text);
    else
      table.rows.push_back({std::move(text), !chosen[r - 1]->agrees});
  }
  if (std::ranges::any_of(table.rows, &ChecksTable::Row::differs))
    table.caveat =
        "a counted instance begins and ends with an idle GPU: cycles, and "
        "traffic that depends on what the caches hold, may truly differ";
  const std::size_t more = report.options.checks.size() - chosen.size();
  if (more > 0)
    table.left_out = fmt::format("{} more: report.md and report.json have them",
                                 FormatCount(more));
  return table;
}

}  // namespace rangefinder
