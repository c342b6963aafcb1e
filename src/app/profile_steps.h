// The steps of `profile`, each with the options that it needs: a run under
// Nsight Systems, then ncu or the tracer alone.

#pragma once

#include "analysis/known_program.h"
#include "analysis/traced_runs.h"
#include "app/console.h"
#include "app/run_report.h"
#include "base/error.h"
#include "base/process.h"
#include "capture/armed.h"
#include "capture/options.h"
#include "plan/settings.h"
#include "rollup/rollup.h"

namespace rangefinder {

// The arguments of every step. With `dry_run` a step prints its plan, and runs
// the program only for facts that planning needs.
struct TargetRun {
  CaptureOptions options{};  // without options of ncu
  Reporting reporting{};
  bool dry_run = false;
  ProcessRunner& runner;
  const Console& console;
};

// Runs the program under nsys and exports its report, which becomes an artifact
// of the run directory. `report`: this is the last step. kProfiler, before any
// run: there is no nsys.
Status RunNsysStep(const TargetRun& run, const NsysSettings& nsys, bool report);

// Captures the program with ncu and reports the capture. An incomplete capture
// is reported as well, and its failure returned.
Status RunNcuStep(const TargetRun& run, const ProgramQuestion& asked,
                  const RollupOptions& rollup);

// Profiles the kernels of the list that `ncu` names one after the other
// (analysis/kernel_runs.h), and reports all of them.
Status RunKernelListStep(const TargetRun& run, const NcuSettings& ncu,
                         const RollupOptions& rollup);

// Runs the program under the tracer with the requested counters, and suggests
// ncu for single kernels.
Status RunTracerStep(const TargetRun& run, const CountingSettings& asked);

// Opens a window in armed processes, with the counters that one pass samples,
// and a second one if exact counts are requested. Reports both.
struct WindowStep {
  std::vector<ArmedProcess> processes{};
  std::string after{}, instances{};  // "REGION:N", or empty
  double seconds = 0;                // 0: until it ends by itself
};
Status RunWindowStep(const TargetRun& run, const WindowStep& window,
                     const CountingSettings& asked);

// Runs the program under the tracer without counters, and reports the trace.
// kTarget, after the report: the program failed.
Status RunDiscoverStep(const TargetRun& run, const TraceSettings& trace);

}  // namespace rangefinder
