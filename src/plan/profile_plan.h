// From what was asked and what is known of the program to the runs of ncu: its
// filters, levels, instances, budget and cost.

#pragma once

#include <optional>

#include "base/error.h"
#include "base/notes.h"
#include "capture/capture.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "plan/settings.h"
#include "profile/profile.h"

namespace rangefinder {

// What was asked, as far as it decides what is run.
struct PlanRequest {
  const NcuSettings& ncu;
  const InstanceWindow& instances;
  bool kernels_chosen = false;  // by regions.kernels
};

// What is known of the program before ncu runs.
struct KnownProgram {
  std::optional<Profile> profile{};    // of a trace, or of a discovery run
  std::optional<TraceRecord> trace{};  // where one was tried
  std::optional<Error> failure{};      // why there is nothing to run
};

// Whether a plan needs to know the program's regions and launches.
bool NeedsToKnow(const PlanRequest& asked);

// The plan, and `options` changed to what it takes (filters, launch limits).
// All notes of planning are the plan's. A plan without a run has nothing to
// measure, and says why. kUsage for a pattern that is none, and for options
// that contradict each other.
Result<CapturePlan> MakeProfilePlan(const PlanRequest& asked,
                                    const KnownProgram& known,
                                    CaptureOptions& options);

// How far a finished capture is from what was forecast: notes where its cost is
// more than twice off, and where launches were chosen and others measured.
void CheckForecast(const Capture& capture, Notes& notes);

}  // namespace rangefinder
