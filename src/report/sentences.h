// Sentences about a run that several documents say, and the questions that they
// ask of a report: baseline run and replay, estimates and their checks.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/wall_time.h"
#include "report/report.h"
#include "report/rows.h"
#include "sampling/counter_estimates.h"

namespace rangefinder {

// "2 × NVIDIA H200 · 2.98 s in regions · GPU busy 145 ms (4.9 %) · warm-up
// 1.88 s (63 %)"; empty where no wall time is known.
std::string RunText(const Report& report, const ScopeRollup& scope,
                    const ReportRows& rows);

// ---- The baseline run and the run with replay ----

// Whether there are two runs to compare.
bool HasTwoRuns(const Report& report);
// Whether one of them replayed kernels or ranges, so that their times are not
// the program's: counts of regions are no replay.
bool HasReplay(const Report& report);

// "trace 2.10 s; all (kernel) 23.4 s, 9 passes"; empty where it is not known.
std::string RunsText(const Report& report);

// "12 of 840 launches carry counters, 96.0 % of the region's time"; empty where
// all do.
std::string CoverageText(const Report& report, const ScopeRollup& scope,
                         RegionId region);

// ---- Estimates of counters, and exact counts ----

std::string PartText(WallPart part);  // "rank wait"

// Instead of a headline, where no cause holds.
std::string NothingStandsOut(const Report& report);

// The metrics that were sampled; none where nothing was.
std::vector<std::string> SampledMetricsOf(const Report& report);

// Whether there are estimates of any device.
bool HasEstimates(const Report& report);

// How a number in a column of times and launches came about: "idle", "time", in
// lines that each end in a newline. Nothing where there is no such column.
std::optional<std::string> ExplainColumn(const Report& report, RegionId region,
                                         std::string_view name);

// "6 counters, 28,056 samples of 200 µs, good fit (R² 0.998)"; of several
// devices, each. Empty where nothing was sampled.
std::string SamplingText(const Report& report);

// How a region's value of a column was estimated, or why it was not, in lines
// that each end in a newline. Empty where it is no estimate.
std::string ExplainEstimate(const Report& report, RegionId region,
                            std::size_t column);

// Why estimates are not to be relied on, of each device whose fit is not good:
// "doubtful: 24 % of the samples were lost". Empty where all are.
std::string DoubtText(const Report& report);

// "14 of 15 estimates agree with exact counts within their 95 %"; empty where
// nothing was checked.
std::string CheckText(const Report& report);

// The counters of a region over the run, a device each. Empty where the region
// is not followed.
std::vector<const CountsOverTime*> FollowedIn(const Report& report,
                                              const Scope& scope, RegionId id);

// A counter whose value per instance grows or falls beyond doubt.
struct CounterTrend {
  std::string metric{};
  std::string unit{};
  double first = 0;
  double last = 0;
};
std::vector<CounterTrend> TrendsOf(const Report& report, const Scope& scope,
                                   RegionId id);

}  // namespace rangefinder
