// The runs that hardware counters need: samples need one run for each set of
// metrics that fits one pass, exact counts need one run more. The installed
// CUPTI knows the abilities of the machine's chip.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/tracer.h"
#include "plan/settings.h"
#include "profile/profile.h"
#include "region/pattern.h"
#include "region/selection.h"

namespace rangefinder {

// ---- Counted instances -----------------------------------------------------

// The instances that a run counts exactly: a budget, distributed over the
// regions of a trace.
//
// Counting a range delays the program by a time that hardly depends on the
// range (measured on an H200: 1.4 ms), so a budget is a number of ranges. Every
// region gets one range, the regions with the most GPU time first; then each
// region in turn gets another range. The ranges of a region are spread over its
// instances. Of two nested regions, an instance of the outer region counts only
// one region: the regions take turns. With too few instances, the outer region
// is counted in the parts around the inner region.

inline constexpr double kCountedRangeSeconds = 1.4e-3;
inline constexpr double kCountingStartSeconds = 0.6;  // once in a process

struct CountingRequest {
  std::vector<Pattern> include{};  // regions; empty: all
  std::vector<Pattern> exclude{};
  double budget_s = 0;     // time that counting may add
  std::size_t passes = 1;  // passes of the metrics
  // Fewest instances of a region: names that occurred once may not occur again.
  std::uint64_t least_instances = 0;
};

// A region, by the names that the program gave.
struct RegionToCount {
  std::vector<std::pair<std::string, std::string>> path{};  // domain, name
  std::string label{};          // printable, as reports have it
  std::uint64_t instances = 0;  // number in the trace, in one process
  double gpu_ns = 0;            // of all its instances
  // Selects the counted instances; see inject/counters/count_plan.h.
  std::uint64_t skip = 0, every = 1, most = 0, slot = 0, slots = 1;
  bool split = false;
  std::uint64_t expected = 0;  // expected number of counted instances
};

struct CountingPlan {
  std::vector<RegionToCount> regions{};  // outer regions before inner ones
  std::uint32_t ranges = 128;            // between two readings
  std::uint64_t instances = 16;          // of a region in a pass
  std::size_t passes = 1;
  double budget_s = 0;
  double seconds = 0;  // delay of the program, without the start
  Notes notes{};

  std::uint64_t expected() const;  // instances of all regions
};

// Plans from a trace with merged names. If the plan has no regions, its notes
// give the reason.
CountingPlan PlanCounting(const Profile& traced,
                          const CountingRequest& request);

// The plan in the file format that the injection library reads.
std::string CountingFile(const CountingPlan& plan);

// The plan and its cost in one line, and the plan with one line per region.
std::string CountingText(const CountingPlan& plan);
std::string CountingTable(const CountingPlan& plan);

// The result in one line, from a profile with the counts.
std::string CountedText(const CountingPlan& plan, const Profile& counted);

struct SamplingPlan {
  std::vector<std::vector<std::string>> sets{};  // at least one
  // In addition to the set, unless refused.
  std::vector<std::string> optional{};
  std::uint64_t interval_ns = 0;
  bool widens = false;  // longer intervals if samples are lost
};

// Nothing if samples are not requested. kUsage: a metric is no count, the chip
// lacks it, or one pass cannot measure it.
Result<std::optional<SamplingPlan>> PlanSampling(
    const CounterSettings& counters, const TraceSettings& trace);

// The plan for the chip of `host`. Null: the chip is unknown; the metrics are
// one set, and the run reports metrics that the chip lacks.
Result<SamplingPlan> PlanSamplingOn(const CounterSettings& counters,
                                    const CounterHost* host);

// The request of run `set` of the plan.
SampleRequest RequestOf(const SamplingPlan& plan, std::size_t set);

// "6 counters every 200 µs" or "9 counters every 200 µs, in 2 runs of the
// program".
std::string SamplingText(const SamplingPlan& plan);

struct CountedMetrics {
  std::vector<std::string> metrics{};
  std::size_t passes = 1;  // passes of the metrics, if the machine tells
};

// pipeline.counters.metrics for exact counts. kUsage: the chip lacks a metric,
// or a throughput is requested and the metrics take several passes: from some
// of its inputs the result would be wrong.
Result<CountedMetrics> MetricsToCount(const CounterSettings& counters);

// The reason why a sampled run, with this profile, is followed by a counting
// run. Nothing: no such run.
std::optional<std::string> WhyToCount(const CounterSettings& counters,
                                      const Profile& sampled);

// The instances to count, from a trace with merged names of a run that took
// `seconds`; `least_instances` as in CountingRequest. kUsage: an invalid
// pattern in regions.include.
Result<CountingPlan> PlanCountingRun(const CounterSettings& counters,
                                     const SelectionOptions& selection,
                                     const CountedMetrics& metrics,
                                     const Profile& traced, double seconds,
                                     std::uint64_t least_instances);

}  // namespace rangefinder
