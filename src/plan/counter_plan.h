// The runs that hardware counters take: samples need a run for each set of
// metrics that one pass can read, exact counts need one run more. The installed
// CUPTI says what the machine's chip can do.

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

// The instances that a run counts exactly: a budget, spent over the regions of
// a trace.
//
// Counting a range holds the program up for a time that hardly depends on the
// range (measured on an H200: 1.4 ms), so a budget is a number of ranges. Every
// region gets one range, by GPU time, then each region one more in turn, spread
// over its instances. Of two nested regions, one instance of the outer region
// counts only one of them: they take turns. With too few instances, the outer
// region is counted in the parts around the inner region.

inline constexpr double kCountedRangeSeconds = 1.4e-3;
inline constexpr double kCountingStartSeconds = 0.6;  // once in a process

struct CountingRequest {
  std::vector<Pattern> include{};  // regions; empty: all
  std::vector<Pattern> exclude{};
  double budget_s = 0;     // time that counting may add
  std::size_t passes = 1;  // that the metrics take
  // That a region has to have: names that came once may not come again.
  std::uint64_t least_instances = 0;
};

// A region, by the names that the program gave.
struct RegionToCount {
  std::vector<std::pair<std::string, std::string>> path{};  // domain, name
  std::string label{};          // printable, as reports have it
  std::uint64_t instances = 0;  // that it had in the trace, in one process
  double gpu_ns = 0;            // of all its instances
  // Which are counted; see inject/counters/count_plan.h.
  std::uint64_t skip = 0, every = 1, most = 0, slot = 0, slots = 1;
  bool split = false;
  std::uint64_t expected = 0;  // instances
};

struct CountingPlan {
  std::vector<RegionToCount> regions{};  // outer ones before those in them
  std::uint32_t ranges = 128;            // between two readings
  std::uint64_t instances = 16;          // of a region in a pass
  std::size_t passes = 1;
  double budget_s = 0;
  double seconds = 0;  // that it will hold the program up, start excluded
  Notes notes{};

  std::uint64_t expected() const;  // instances of all regions
};

// From a trace with merged names. The notes of a plan without regions give the
// reason.
CountingPlan PlanCounting(const Profile& traced,
                          const CountingRequest& request);

// As the injection library reads it.
std::string CountingFile(const CountingPlan& plan);

// The plan and its cost in one line, and the plan with one line per region.
std::string CountingText(const CountingPlan& plan);
std::string CountingTable(const CountingPlan& plan);

// The result in one line, from a profile with the counts.
std::string CountedText(const CountingPlan& plan, const Profile& counted);

struct SamplingPlan {
  std::string chip{};                            // empty: not known
  std::vector<std::vector<std::string>> sets{};  // at least one
  std::vector<std::string> optional{};  // beside the set, unless refused
  std::uint64_t interval_ns = 0;
  bool widens = false;  // the interval, where samples are lost
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
// merged names; of a region as CountingRequest::least_instances says. kUsage
// for a pattern of regions.include that is none.
Result<CountingPlan> PlanCountingRun(const CounterSettings& counters,
                                     const SelectionOptions& selection,
                                     const CountedMetrics& metrics,
                                     const Profile& traced, double seconds,
                                     std::uint64_t least_instances);

}  // namespace rangefinder
