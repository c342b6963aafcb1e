// The run of the program in which regions are counted exactly: planned from
// what a run under the tracer says, and made after it.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/console.h"
#include "app/program.h"
#include "app/settings.h"
#include "app/standard_input.h"
#include "base/error.h"
#include "base/process.h"
#include "capture/tracer.h"
#include "plan/count_plan.h"

namespace rangefinder {

// What is counted.
struct CountedMetrics {
  std::vector<std::string> metrics{};
  std::size_t passes = 1;  // that they take, where the machine says so
};

// pipeline.counters.metrics as exact counts. kUsage for one that the chip does
// not have, and for a throughput where the metrics take several passes: of a
// part of its inputs it would be a number, and a wrong one.
Result<CountedMetrics> MetricsToCount(const Settings& settings);

// Plans from the traces of a run. kUsage for a pattern of regions.include that
// is none.
Result<CountingPlan> PlanCountingRun(const Settings& settings,
                                     const CountedMetrics& metrics,
                                     const TracerOutcome& traced);

// After the run of `outcome`, where the settings ask for it or the run was too
// short for samples: plans, runs the program once more and counts, says both,
// and adds the traces, of RUN/trace/count, to `outcome`. Without `metrics`
// those of the settings. The status is that of the program in this run.
Status CountToo(const Settings& settings, const ProgramToStart& start,
                const StandardInput& input,
                std::optional<CountedMetrics> metrics, ProcessRunner& runner,
                const Console& console, TracerOutcome& outcome);

}  // namespace rangefinder
