// The run of the program in which regions are counted exactly, after a run
// under the tracer, whose trace it is planned from.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/listener.h"
#include "base/process.h"
#include "capture/standard_input.h"
#include "capture/target.h"
#include "capture/tracer.h"
#include "plan/counter_plan.h"
#include "region/merged_names.h"
#include "region/selection.h"

namespace rangefinder {

// The settings that decide what is counted.
struct CountingSettings {
  const std::string& run_dir;
  const CounterSettings& counters;
  const TraceSettings& trace;
  const SelectionOptions& selection;
  const MergeOptions& merge;
};

// The profile of a run's traces, its names merged as the report merges them.
Result<Profile> ReadForPlan(const std::vector<std::filesystem::path>& traces,
                            const MergeOptions& merge);

// After the run of `outcome`, where the settings ask for exact counts or the
// run was too short for samples: plans, runs the program once more and counts,
// tells `listener` of both, and adds the traces, of RUN/trace/count, to
// `outcome`. Without `metrics` those of the settings. The status is that of the
// program in this run.
Status CountToo(const CountingSettings& asked, const ProgramToStart& start,
                const StandardInput& input,
                std::optional<CountedMetrics> metrics, ProcessRunner& runner,
                const Listener& listener, TracerOutcome& outcome);

}  // namespace rangefinder
