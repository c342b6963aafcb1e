// Runs of the target under the tracer, one for each set of counters that one
// pass can sample.

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/options.h"
#include "capture/target.h"
#include "capture/tracer.h"
#include "plan/counter_plan.h"
#include "region/merged_names.h"
#include "region/selection.h"

namespace rangefinder {

struct TracedTarget {
  const CaptureOptions& options;  // program, folder and run directory
  const TraceSettings& trace;
  std::function<void(double seconds)> on_tick{};
};

// Makes a run for each set of `plan`, or one run without a plan, with traces in
// the run directory's `trace`. Program, times and status of the outcome are
// from the first run; its traces are from all runs. `check` judges the end of
// each run; the first failure ends the series and stays in `status`. Error: the
// first run could not be made.
Result<TracerOutcome> RunUnderTracer(
    const TracedTarget& target, const std::optional<SamplingPlan>& plan,
    const std::function<Status(const Finished&)>& check, ProcessRunner& runner,
    const Listener& listener, Status& status);

// ---- Counting run ----------------------------------------------------------

// The run of the program, or the window in it, in which regions are counted
// exactly. It follows a run under the tracer, whose trace is used for planning.

// The settings that choose the counted regions and metrics.
struct CountingSettings {
  const std::string& run_dir;
  const CounterSettings& counters;
  const TraceSettings& trace;
  const SelectionOptions& selection;
  const MergeOptions& merge;
};

// Counts into an existing folder. `obstacle`: why counting is impossible, or
// empty.
struct CountingRun {
  std::string obstacle{};
  // Fewest instances of a region in the first run, so that this run can be
  // expected to have it.
  std::uint64_t least_instances = 0;
  std::function<Result<TracerOutcome>(const std::filesystem::path& folder,
                                      const CountRequest& request)>
      run{};
};

// A CountingRun that starts the program once more.
CountingRun OnceMore(const ProgramToStart& start, const StandardInput& input,
                     ProcessRunner& runner);

// Called after the run of `outcome`, if the settings request exact counts or
// the run was too short for samples. Plans, runs and counts, reports both to
// `listener`, and adds the traces of RUN/trace/count to `outcome`. Without
// `metrics`, counts those of the settings. The status is the program's status
// in this run.
Status CountToo(const CountingSettings& asked, const CountingRun& run,
                std::optional<CountedMetrics> metrics, const Listener& listener,
                TracerOutcome& outcome);

}  // namespace rangefinder
