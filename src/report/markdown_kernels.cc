#include "report/markdown_kernels.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "report/kernel_names.h"
#include "report/markdown_frame.h"
#include "report/two_runs.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

void WriteMeasured(const Report& report, const ScopeRollup& scope, RegionId id,
                   const MarkdownColumns& columns, std::ostream& out) {
  const RegionRollup& rolled = scope.regions[Index(id)];
  const std::vector<KernelRow>& rows = rolled.all_kernels();
  const bool nested = !rolled.kernels_with_inner.empty();
  const bool two = HasTwoRuns(report);
  if (nested)
    out << "\nInner regions included; own calls are outside all of them.\n";
  out << "\n| Kernel | Calls |" << (nested ? " Own |" : "") << " Total |"
      << (two ? " Traced |" : "") << " Mean | Min | Max |" << columns.Headings()
      << "\n|:--|--:|" << (nested ? "--:|" : "") << "--:|--:|--:|--:|"
      << (two ? "--:|" : "") << columns.Rule();
  for (std::size_t i = 0;
       i < std::min<std::size_t>(rows.size(), report.options.max_rows); ++i) {
    const KernelRow& row = rows[i];
    const std::uint64_t timed = row.calls - row.amounts.without_time;
    const auto ns = [&](double time) {
      return timed > 0 ? FormatNs(time) : std::string("–");
    };
    fmt::print(out, "| {} | {} |{} {} |{} {} | {} | {} |",
               MarkdownText(report.kernel_names->Shown(row.name)),
               FormatCount(row.calls),
               nested ? " " + FormatCount(row.own_calls) + " |" : "",
               ns(row.total_ns),
               two ? " " + TracedKernelCell(report, scope, id, row) + " |" : "",
               ns(row.total_ns / static_cast<double>(timed)), ns(row.min_ns),
               ns(row.max_ns));
    out << columns.Cells(row.amounts) << '\n';
  }
  WriteRowsLeftOut(report, rows.size(), out);
}

void WriteUndisturbed(const Report& report, const TracedRegion& region,
                      std::ostream& out) {
  const std::vector<TracedKernel>& rows = region.all_kernels();
  out << "\nOf the undisturbed run, inner regions included; none has "
         "counters of its own:\n\n"
         "| Kernel | Calls | Total | Mean |\n|:--|--:|--:|--:|\n";
  for (std::size_t i = 0;
       i < std::min<std::size_t>(rows.size(), report.options.max_rows); ++i) {
    const TracedKernel& row = rows[i];
    fmt::print(out, "| {} | {} | {} | {} |\n",
               MarkdownText(report.kernel_names->Shown(row.name)),
               FormatCount(row.traced.count), FormatNs(row.traced.ns),
               FormatNs(row.traced.mean()));
  }
  WriteRowsLeftOut(report, rows.size(), out);
}

}  // namespace

void WriteKernelTable(const Report& report, const ScopeRollup& scope,
                      RegionId id, const MarkdownColumns& columns,
                      std::ostream& out) {
  if (!scope.regions[Index(id)].all_kernels().empty()) {
    WriteMeasured(report, scope, id, columns, out);
  } else if (HasTwoRuns(report)) {
    const TracedRegion& region = report.traced->Of(scope, id);
    if (!region.all_kernels().empty()) WriteUndisturbed(report, region, out);
  }
}

}  // namespace rangefinder
