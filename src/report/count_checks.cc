#include "report/count_checks.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/numbers.h"
#include "region/path.h"
#include "writers/markdown/markup.h"

namespace rangefinder {
std::string CheckText(const Report& report) {
  const auto& checks = report.options.checks;
  if (checks.empty()) return {};
  return fmt::format(
      "{} of {} estimates agree with exact counts of instances, within the 95 "
      "% of both",
      FormatCount(static_cast<std::uint64_t>(
          std::ranges::count(checks, true, &CountCheck::agrees))),
      FormatCount(checks.size()));
}

void WriteCheckMarkdown(std::ostream& out, const Report& report) {
  const auto& checks = report.options.checks;
  if (checks.empty()) return;
  fmt::print(
      out,
      "## Estimates against exact counts\n\nOf one instance, ± one "
      "standard error: {}. A counted instance begins and ends with an "
      "idle GPU: cycles, and traffic that depends on what the caches "
      "hold, may truly differ.\n\n| Region | Metric | Estimate | Exact | "
      "Counted | |\n|:--|:--|--:|--:|--:|:--|\n",
      CheckText(report));
  const std::size_t shown =
      std::min<std::size_t>(checks.size(), report.options.max_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const CountCheck& check = checks[i];
    const Column& column = report.rollup->columns[check.column];
    const auto value = [&](double number, double error) {
      return FormatEstimate(number, error, column.unit);
    };
    fmt::print(out, "| {} | {} | {} | {} | {} of {} | {} |\n",
               MarkdownText(RegionLabel(*report.profile,
                                        report.tree->PathTo(check.region))),
               MarkdownCode(column.name),
               value(check.estimate, check.estimate_error),
               value(check.exact, check.exact_error),
               FormatCount(check.counted), FormatCount(check.instances),
               check.agrees ? "agree" : "differ beyond the errors");
  }
  if (shown < checks.size())
    fmt::print(out, "\n{} more in report.json\n",
               FormatCount(checks.size() - shown));
  out << '\n';
}

}  // namespace rangefinder
