#include "report/by_name.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "base/text.h"
#include "report/region_facts.h"
#include "report/two_runs.h"
#include "writers/markdown/markup.h"

namespace rangefinder {

std::string NameTitle(const Report& report, const NameRow& row) {
  const Profile& profile = *report.profile;
  std::string text = FrameText(profile, row.frame);
  if (profile.Name(row.frame.name).empty()) text += "\"\"";
  return text;
}

void WriteNamesMarkdown(const Report& report, const ScopeRollup& scope,
                        std::ostream& out) {
  if (scope.names.empty()) return;
  fmt::print(out, "### By name, scope {}\n\n", ScopeName(report, scope.scope));
  out << "Regions of one name together, inner regions included; a kernel "
         "counts once.\n\n"
         "| Name | Regions | GPU time"
      << (HasTwoRuns(report) ? " under replay" : "") << " | Share | Kernels |";
  for (const std::string& heading : ColumnHeadings(report))
    fmt::print(out, " {} |", MarkdownText(heading));
  out << "\n|:--|--:|--:|--:|--:|";
  for (std::size_t i = 0; i < report.table_columns.size(); ++i) out << "--:|";
  out << '\n';
  const std::size_t shown =
      std::min<std::size_t>(scope.names.size(), report.options.max_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const NameRow& row = scope.names[i];
    const bool timed = row.amounts.without_time < row.amounts.kernel_count;
    fmt::print(
        out, "| {} | {} | {} | {} | {} |", MarkdownText(NameTitle(report, row)),
        FormatCount(row.regions.size()),
        timed ? FormatNs(row.amounts.gpu_time_ns) : "–",
        timed ? FormatShare(row.amounts.gpu_time_ns, scope.totals.gpu_time_ns)
              : "–",
        row.amounts.kernel_count > 0 ? FormatCount(row.amounts.kernel_count)
                                     : "–");
    for (const std::size_t c : report.table_columns) {
      const Cell& cell = row.amounts.cells[c];
      const std::string text =
          FormatCell(*report.profile, cell, report.rollup->columns[c].unit);
      fmt::print(out, " {} |", cell.is_text ? MarkdownText(text) : text);
    }
    out << '\n';
  }
  if (scope.names.size() > shown) {
    fmt::print(out,
               "\n*{} more names are left out (`regions.max_rows={}`); "
               "report.json has them all.*\n",
               FormatCount(scope.names.size() - shown),
               report.options.max_rows);
  }
  out << '\n';
}

}  // namespace rangefinder
