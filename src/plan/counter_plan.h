// The runs that hardware counters take: samples need a run for each set of
// metrics that one pass can read, exact counts need one run more. The installed
// CUPTI says what the machine's chip can do.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "capture/tracer.h"
#include "plan/count_plan.h"
#include "plan/settings.h"
#include "profile/profile.h"
#include "region/selection.h"

namespace rangefinder {

struct SamplingPlan {
  std::string chip{};                            // empty: not known
  std::vector<std::vector<std::string>> sets{};  // at least one
  std::vector<std::string> optional{};  // beside the set, unless refused
  std::uint64_t interval_ns = 0;
};

// Nothing where samples are not wanted. kUsage for a metric that is no count,
// that the chip does not have, or that one pass cannot read.
Result<std::optional<SamplingPlan>> PlanSampling(
    const CounterSettings& counters, const TraceSettings& trace);

// The plan for a chip, without its name. Null: the machine does not say which
// chip it has; the metrics are one set, and the run reports what the chip
// cannot do.
Result<SamplingPlan> PlanSamplingOn(const CounterSettings& counters,
                                    const CounterHost* host);

// The request of run `set` of the plan.
SampleRequest RequestOf(const SamplingPlan& plan, std::size_t set);

// "6 counters every 200 µs" or "9 counters every 200 µs, in 2 runs of the
// program".
std::string SamplingText(const SamplingPlan& plan);

struct CountedMetrics {
  std::vector<std::string> metrics{};
  std::size_t passes = 1;  // that they take, where the machine says so
};

// pipeline.counters.metrics as exact counts. kUsage for a metric that the chip
// does not have, and for a throughput where the metrics take several passes:
// from a part of its inputs the result would be wrong.
Result<CountedMetrics> MetricsToCount(const CounterSettings& counters);

// Why a sampled run is followed by a run that counts, by what its profile says.
// Nothing: no such run.
std::optional<std::string> WhyToCount(const CounterSettings& counters,
                                      const Profile& sampled);

// The instances to count, from a trace of a run that took `seconds`, with
// merged names. kUsage for a pattern of regions.include that is none.
Result<CountingPlan> PlanCountingRun(const CounterSettings& counters,
                                     const SelectionOptions& selection,
                                     const CountedMetrics& metrics,
                                     const Profile& traced, double seconds);

}  // namespace rangefinder
