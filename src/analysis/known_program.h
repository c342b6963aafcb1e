// The facts that `profile` collects before planning: the regions of the
// program, the instances of each, and their launches in the baseline run.

#pragma once

#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/options.h"
#include "plan/profile_plan.h"
#include "region/merged_names.h"

namespace rangefinder {

// The settings that decide which facts are collected.
struct ProgramQuestion {
  PlanRequest plan;
  const TraceSettings& trace;
  const CounterSettings& counters;
  const MergeOptions& merge;
};

// Runs the program once under the tracer, with its trace in RUN/trace; or, if
// range modes have no trace for planning, once under ncu measuring times only.
// Counts the program's runs in `options`. A failed trace is a note and no
// failure.
Result<KnownProgram> LookAtProgram(const ProgramQuestion& asked,
                                   CaptureOptions& options,
                                   ProcessRunner& runner,
                                   const Listener& listener, Notes& notes);

}  // namespace rangefinder
