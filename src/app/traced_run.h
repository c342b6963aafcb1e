// The run under the tracer that `profile` makes before it plans: which regions
// there are, how often each runs and what it launches, undisturbed.

#pragma once

#include <optional>

#include "app/console.h"
#include "app/sampling_plan.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "profile/profile.h"

namespace rangefinder {

struct TracerRun {
  TraceRecord record{};
  // What to plan from: nothing where the trace has no kernel, since of regions
  // alone nobody knows which can be measured.
  std::optional<Profile> profile{};
  // The program failed, or was interrupted: there is nothing to profile.
  std::optional<Error> failure{};
};

// Runs the program of `options` once, its trace into RUN/trace, with samples of
// its counters where `sampling` plans some. A trace that
// cannot be made is a note and never a failure.
TracerRun RunTraced(const CaptureOptions& options, const TraceSettings& trace,
                    const std::optional<SamplingPlan>& sampling,
                    ProcessRunner& runner, const Console& console,
                    Notes& notes);

}  // namespace rangefinder
