// Sentences about a run that several documents contain, and predicates for
// them: baseline run and replay, estimates and their checks.

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

// "2 × NVIDIA H200 · 2.98 s in regions · GPU busy 145 ms (4.9 %) · warm-up 1.88
// s (63 %)"; empty if no wall time is known.
std::string RunText(const Report& report, const ScopeRollup& scope,
                    const ReportRows& rows);

// What the shares of a report are of: "the run", or "the selected regions" if
// launches are left out.
std::string_view WholeText(const Report& report);

// ---- The baseline run and the run with replay ----

// Whether there are two runs to compare.
bool HasTwoRuns(const Report& report);
// Whether a run replayed kernels or ranges, so that its times are not the
// program's. Counting regions is no replay.
bool HasReplay(const Report& report);

// "trace 2.10 s; all (kernel) 23.4 s, 9 passes"; empty: unknown.
std::string RunsText(const Report& report);

// "12 of 840 launches carry counters, 96.0 % of the region's time"; empty if
// all do.
std::string CoverageText(const Report& report, const ScopeRollup& scope,
                         RegionId region);

// ---- Estimates of counters, and exact counts ----

std::string PartText(WallPart part);  // "rank wait"

// A warning that a part of the capture is lost; empty if none is.
std::string DataLossText(const Report& report);

// The headline if there is no cause: what was not measured, or that no cause
// holds.
std::string NothingStandsOut(const Report& report);

// The sampled metrics; empty if nothing was sampled.
std::vector<std::string> SampledMetricsOf(const Report& report);

// Whether there are estimates of any device.
bool HasEstimates(const Report& report);

// How a number in a column of times and launches was computed: "idle", "time",
// in lines that each end in a newline. Nothing if there is no such column.
std::optional<std::string> ExplainColumn(const Report& report,
                                         const ScopeRollup& scope,
                                         RegionId region,
                                         std::string_view name);

// "6 counters, 28,056 samples of 200 µs, good fit (R² 0.998)"; with several
// devices, for each. Empty if nothing was sampled.
std::string SamplingText(const Report& report);

// How a region's value of a column was estimated, or why not, in lines that
// each end in a newline. Empty if the value is no estimate.
std::string ExplainEstimate(const Report& report, const ScopeRollup& scope,
                            RegionId region, std::size_t column);

// Why estimates are unreliable, for each device whose fit is not good:
// "doubtful: 24 % of the samples were lost". Empty if all are good.
std::string DoubtText(const Report& report);

// "14 of 15 estimates of instructions and pipes agree with exact counts of
// instances, within the 95 % of both"; empty without checks.
std::string CheckText(const Report& report);

// The counters of a region over the run, one entry per device. Empty if the
// region is not followed.
std::vector<const CountsOverTime*> FollowedIn(const Report& report,
                                              const Scope& scope, RegionId id);

// A counter whose value per instance certainly rises or falls.
struct CounterTrend {
  std::string metric{};
  std::string unit{};
  double first = 0;
  double last = 0;
};
std::vector<CounterTrend> TrendsOf(const Report& report, const Scope& scope,
                                   RegionId id);

}  // namespace rangefinder
