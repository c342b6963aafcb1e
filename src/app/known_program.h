// What `profile` finds out about the program before it plans: which regions
// there are, how often each runs and what it launches, undisturbed.

#pragma once

#include <optional>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/notes.h"
#include "base/process.h"
#include "capture/capture.h"
#include "capture/options.h"
#include "plan/profile_plan.h"

namespace rangefinder {

// The parts of the settings that planning depends on; they must outlive it.
PlanRequest PlanRequestOf(const Settings& settings);

// Runs the program once under the tracer, its trace into RUN/trace, or, where
// range modes have no trace to plan by, once under ncu with nothing but time.
// With `dry_run` only where the plan needs it. Counts the program's runs in
// `options`. A trace that cannot be made is a note and never a failure.
Result<KnownProgram> LookAtProgram(const Settings& settings,
                                   CaptureOptions& options, bool dry_run,
                                   ProcessRunner& runner,
                                   const Console& console, Notes& notes);

// For RunCapture(): the status line of `console`, with the time left where
// there is a forecast.
ProgressCallback ShowProgress(const Console& console,
                              std::optional<Forecast> forecast = std::nullopt);

}  // namespace rangefinder
