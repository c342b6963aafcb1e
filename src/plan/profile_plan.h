// From the request and the facts about the program to the runs of ncu: filters,
// levels, instances, budget and cost.

#pragma once

#include <optional>

#include "base/error.h"
#include "base/notes.h"
#include "capture/capture.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "plan/settings.h"
#include "profile/profile.h"
#include "region/selection.h"

namespace rangefinder {

// The settings that decide the runs.
struct PlanRequest {
  const NcuSettings& ncu;
  const InstanceWindow& instances;
  SelectionOptions selection{};
};

// The facts about the program before ncu runs.
struct KnownProgram {
  std::optional<Profile> profile{};    // of a trace, or of a discovery run
  std::optional<TraceRecord> trace{};  // of the baseline run, if there was one
  std::optional<Error> failure{};      // why there is nothing to run
};

// Whether a plan needs to know the program's regions and launches.
bool NeedsToKnow(const PlanRequest& asked);

// Makes the plan, and sets its filters and launch limits in `options`. All
// notes of planning are notes of the plan. A plan without a run has nothing to
// measure, and its notes give the reason. kUsage for a pattern with an error,
// and for options that contradict each other.
Result<CapturePlan> MakeProfilePlan(const PlanRequest& asked,
                                    const KnownProgram& known,
                                    CaptureOptions& options);

// Compares a finished capture with its forecast: notes if the cost is off by
// more than a factor of two, or if other launches were measured than selected.
void CheckForecast(const Capture& capture, Notes& notes);

}  // namespace rangefinder
