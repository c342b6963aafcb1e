#include "report/two_runs.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers.h"
#include "rollup/traced.h"

namespace rangefinder {

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

}  // namespace rangefinder
