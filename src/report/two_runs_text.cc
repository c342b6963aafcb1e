#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "report/markdown_frame.h"
#include "report/page_scopes.h"
#include "report/region_facts.h"
#include "report/two_runs.h"
#include "rollup/traced.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
namespace {

// Kernels of the comparison; report.json has them all.
constexpr std::size_t kMostKernels = 30;

void WriteScaled(std::ostream& out, const Report& report,
                 const ScopeRollup& scope, RegionId region) {
  const auto metrics =
      report.traced->Scaled(scope, region, report.asked_columns);
  if (metrics.empty()) return;
  out << "\n| Metric | Measured launches | Scaled to all | Standard error |\n"
         "|:--|--:|--:|--:|\n";
  bool single = false;
  for (const ScaledMetric& metric : metrics) {
    const Column& column = report.rollup->columns[metric.column];
    const Cells& cells = scope.regions[Index(region)].inclusive.cells;
    single = single || metric.single > 0;
    fmt::print(
        out, "| `{}` | {} | ~ {} | {}{} |\n", column.name,
        metric.column < cells.size()
            ? FormatCell(*report.profile, cells[metric.column], column.unit)
            : "–",
        FormatValue(metric.value, column.unit),
        metric.error ? "± " + FormatValue(*metric.error, column.unit) : "–",
        metric.single > 0 ? " †" : "");
  }
  out << "\nEach kernel, grid and block counts as often as the undisturbed run "
         "launched it; what was never measured is not in it.";
  if (single) {
    out << " † some were measured once only: their spread is not known, and "
           "not in the error.";
  }
  out << "\n";
}

struct Compared {
  LaunchSum traced{}, measured{};
};

std::vector<std::pair<std::string, Compared>> AllKernels(
    const Report& report, const ScopeRollup& scope) {
  std::map<std::string, Compared> kernels;
  for (std::size_t i = 0; i < scope.regions.size(); ++i) {
    for (const TracedKernel& kernel :
         report.traced->Of(scope, static_cast<RegionId>(i)).kernels) {
      Compared& sum = kernels[std::string(report.profile->Name(kernel.name))];
      sum.traced.count += kernel.traced.count;
      sum.traced.ns += kernel.traced.ns;
      sum.measured.count += kernel.measured.count;
      sum.measured.ns += kernel.measured.ns;
    }
  }
  std::vector<std::pair<std::string, Compared>> rows(kernels.begin(),
                                                     kernels.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return std::max(a.second.traced.ns, a.second.measured.ns) >
           std::max(b.second.traced.ns, b.second.measured.ns);
  });
  return rows;
}

std::string Mean(const LaunchSum& sum) {
  return sum.count > 0 ? FormatNs(sum.mean()) : "–";
}

void WriteComparison(
    std::ostream& out, const Report& report, const ScopeRollup& scope,
    const std::vector<std::pair<std::string, Compared>>& rows) {
  const std::string coverage = CoverageText(report, scope, RegionTree::kRoot);
  if (!coverage.empty()) fmt::print(out, "\n{}.\n", coverage);
  out << "\n| Kernel | Launches traced | measured | Mean traced | measured | "
         "Ratio |\n|:--|--:|--:|--:|--:|--:|\n";
  std::size_t written = 0;
  for (const auto& [name, kernel] : rows) {
    if (written++ == kMostKernels) break;
    const bool both = kernel.traced.ns > 0 && kernel.measured.ns > 0;
    fmt::print(out, "| {} | {} | {} | {} | {} | {} |\n", MarkdownText(name),
               FormatCount(kernel.traced.count),
               FormatCount(kernel.measured.count), Mean(kernel.traced),
               Mean(kernel.measured),
               both ? fmt::format("{:.2f}",
                                  kernel.measured.mean() / kernel.traced.mean())
                    : "–");
  }
  if (rows.size() > kMostKernels) {
    fmt::print(out, "\n*{} more kernels are in report.json.*\n",
               FormatCount(rows.size() - kMostKernels));
  }
}

}  // namespace

bool HasTwoRuns(const Report& report) {
  return report.traced != nullptr && report.traced->there();
}

bool HasReplay(const Report& report) {
  return HasTwoRuns(report) &&
         std::ranges::any_of(report.profile->measurements,
                             [](const Measurement& m) {
                               return m.mode != ReplayMode::kCounters;
                             });
}

std::string RunsText(const Report& report) {
  std::string text;
  for (const RunFact& run : report.options.runs) {
    text += fmt::format("{}{} ({}) {}", text.empty() ? "" : "; ", run.name,
                        run.mode, FormatNs(run.seconds * 1e9));
    if (run.passes > 0)
      text += fmt::format(", {} {}", run.passes,
                          run.passes == 1 ? "pass" : "passes");
    if (!run.outcome.empty() && run.outcome != "ok") text += ", " + run.outcome;
  }
  return text;
}

std::string TracedCell(const Report& report, const ScopeRollup& scope,
                       RegionId region) {
  const LaunchSum& sum = report.traced->Of(scope, region).inclusive;
  return sum.count > 0 ? FormatNs(sum.ns) : "–";
}

std::string TracedKernelCell(const Report& report, const ScopeRollup& scope,
                             RegionId region, const KernelRow& row) {
  const TracedKernel* kernel = report.traced->Find(scope, region, row);
  if (kernel == nullptr) return "–";
  return kernel->traced.count == row.calls
             ? FormatNs(kernel->traced.ns)
             : fmt::format("{} in {}", FormatNs(kernel->traced.ns),
                           FormatCount(kernel->traced.count));
}

std::string CoverageText(const Report& report, const ScopeRollup& scope,
                         RegionId region) {
  if (!HasTwoRuns(report)) return {};
  const Coverage& coverage = report.traced->Of(scope, region).coverage;
  // Ranges measured as a whole have their counters without any kernel's.
  if (coverage.complete() || scope.totals.kernel_count == 0) return {};
  return fmt::format("{} of {} launches carry counters, {} of the {} time",
                     FormatCount(coverage.measured),
                     FormatCount(coverage.launches),
                     FormatShare(coverage.covered_ns, coverage.ns),
                     region == RegionTree::kRoot ? "run's" : "region's");
}

void WriteTracedMarkdown(std::ostream& out, const Report& report,
                         const ScopeRollup& scope, RegionId region) {
  if (!HasTwoRuns(report)) return;
  if (const auto row = report.rows->Of(scope, region); row.measured_ns) {
    fmt::print(out, "\nUnder replay: {} in {} {}.\n",
               FormatNs(*row.measured_ns), FormatCount(*row.measured),
               *row.measured == 1 ? "kernel" : "kernels");
  }
  const std::string coverage = CoverageText(report, scope, region);
  if (coverage.empty()) return;
  fmt::print(out, "\n**{}.**\n", coverage);
  WriteScaled(out, report, scope, region);
}

void WriteTwoRunsMarkdown(std::ostream& out, const Report& report) {
  if (!HasReplay(report)) return;
  out << "## Two runs compared\n\nOne run was undisturbed (traced), the other "
         "replayed its kernels for their counters. Their numbers are never "
         "added.\n";
  if (const auto ratio = report.traced->ratio()) {
    fmt::print(
        out,
        "\nUnder replay kernels took {:.2f} times as long (median of {}, "
        "from {:.2f} to {:.2f}).\n",
        ratio->median, FormatCount(ratio->kernels), ratio->low, ratio->high);
  }
  const std::vector<const ScopeRollup*> scopes =
      ScopesOneByOne(report, kMostMarkdownScopes);
  for (const ScopeRollup* scope : scopes) {
    const auto rows = AllKernels(report, *scope);
    if (rows.empty()) continue;
    if (scopes.size() > 1)
      fmt::print(out, "\n### Scope {}\n", ScopeHeading(report, scope->scope));
    WriteComparison(out, report, *scope, rows);
  }
  out << '\n';
}

}  // namespace rangefinder
