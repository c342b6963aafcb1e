// What is to be sampled of a program: the metrics cut into sets that one pass
// can have, each of which is a run of the program.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "capture/tracer.h"

namespace rangefinder {

struct SamplingPlan {
  std::string chip{};                            // empty: not known
  std::vector<std::vector<std::string>> sets{};  // at least one
  std::uint64_t interval_ns = 0;
};

// Nothing where samples are not wanted. kUsage for a metric that is no count,
// that the tracer falsifies, that the chip does not have, or that one pass
// cannot have. Where the machine does not say which chip it has, the metrics
// are one set, and the run will tell.
Result<std::optional<SamplingPlan>> PlanSampling(const Settings& settings);

// What run `set` of the plan samples.
SampleRequest RequestOf(const SamplingPlan& plan, std::size_t set);

// "6 counters every 200 µs" or "9 counters every 200 µs, in 2 runs of the
// program".
std::string SamplingText(const SamplingPlan& plan);

}  // namespace rangefinder
