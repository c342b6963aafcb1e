// The facts that `profile` collects before it plans: the regions of the
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

// Runs the program once under the tracer, its trace into RUN/trace, or, where
// range modes have no trace to plan by, once under ncu with nothing but time.
// Counts the program's runs in `options`. A trace that cannot be made is a note
// and never a failure.
Result<KnownProgram> LookAtProgram(const ProgramQuestion& asked,
                                   CaptureOptions& options,
                                   ProcessRunner& runner,
                                   const Listener& listener, Notes& notes);

}  // namespace rangefinder
