// Runs of the target under the tracer, one for each set of counters that one
// pass can sample.

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/listener.h"
#include "base/process.h"
#include "capture/options.h"
#include "capture/tracer.h"
#include "plan/counter_plan.h"

namespace rangefinder {

struct TracedTarget {
  const CaptureOptions& options;  // program, folder to run in, run directory
  const TraceSettings& trace;
  std::filesystem::path folder =
      "trace";  // of the traces, in the run directory
  std::function<void(double seconds)> on_tick{};
};

// Makes a run for each set of `plan`, or one run without a plan. Program, times
// and status of the outcome are those of the first run; its traces are those of
// all. `check` judges the end of each run; the first failure ends the series
// and is left in `status`. Error: the first run could not be made.
Result<TracerOutcome> RunUnderTracer(
    const TracedTarget& target, const std::optional<SamplingPlan>& plan,
    const std::function<Status(const Finished&)>& check, ProcessRunner& runner,
    const Listener& listener, Status& status);

}  // namespace rangefinder
