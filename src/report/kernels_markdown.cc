// kernels.md: every kernel name of the run with its time, wherever it ran.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "report/kernel_names.h"
#include "report/markdown_frame.h"
#include "report/page_scopes.h"
#include "report/writers.h"
#include "writers/markdown/markup.h"

namespace rangefinder {

void WriteKernelsMarkdown(const Report& report, std::ostream& out) {
  const Profile& profile = *report.profile;
  out << "# Kernels\n\n";
  const std::vector<const ScopeRollup*> scopes =
      ScopesOneByOne(report, kMostMarkdownScopes);
  for (const ScopeRollup* shown : scopes) {
    const ScopeRollup& scope = *shown;
    std::map<std::string, KernelRow> rows;
    for (const auto& [id, region] : scope.regions.there()) {
      for (const KernelRow& row : region.kernels) {
        const std::string name(profile.Name(row.name));
        auto [sum, is_new] = rows.try_emplace(name, row);
        if (is_new) continue;
        sum->second.calls += row.calls;
        sum->second.total_ns += row.total_ns;
        sum->second.min_ns = std::min(sum->second.min_ns, row.min_ns);
        sum->second.max_ns = std::max(sum->second.max_ns, row.max_ns);
      }
    }
    std::vector<const KernelRow*> order;
    order.reserve(rows.size());
    for (const auto& [name, row] : rows) order.push_back(&row);
    std::ranges::stable_sort(order, [](const auto* a, const auto* b) {
      return a->total_ns > b->total_ns;
    });
    fmt::print(out, "## Scope {}\n\n", ScopeHeading(report, scope.scope));
    out << "| Kernel | Calls | Total | Share | Mean | Min | Max |\n"
           "|:--|--:|--:|--:|--:|--:|--:|\n";
    std::uint64_t written = 0;
    for (const KernelRow* row : order) {
      if (written++ == report.options.max_rows) break;
      fmt::print(out, "| {} | {} | {} | {} | {} | {} | {} |\n",
                 MarkdownText(report.kernel_names->Shown(row->name)),
                 FormatCount(row->calls), FormatNs(row->total_ns),
                 FormatShare(row->total_ns, scope.totals.gpu_time_ns),
                 FormatNs(row->total_ns / static_cast<double>(row->calls)),
                 FormatNs(row->min_ns), FormatNs(row->max_ns));
    }
    WriteRowsLeftOut(report, order.size(), out);
    out << '\n';
  }
  out << MoreScopesMarkdown(report, scopes.size());
}

}  // namespace rangefinder
