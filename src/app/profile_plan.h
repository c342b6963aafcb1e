// From what was asked and what is known of the program to the runs of ncu: its
// filters, levels, instances, budget and cost.

#pragma once

#include <optional>

#include "app/settings.h"
#include "app/traced_run.h"
#include "base/error.h"
#include "base/notes.h"
#include "capture/capture.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "profile/profile.h"

namespace rangefinder {

// What a plan is made from.
struct KnownProgram {
  std::optional<Profile> profile{};    // of a trace, or of a discovery run
  std::optional<TraceRecord> trace{};  // where one was tried
};

// Whether a plan for `settings` needs to know the program's regions and
// launches.
bool NeedsToKnow(const Settings& settings);

// The plan, and `options` changed to what it takes (filters, launch limits).
// All notes of planning are the plan's. kUsage for a pattern that is none, and
// for options that contradict each other.
Result<CapturePlan> MakeProfilePlan(const Settings& settings,
                                    const KnownProgram& known,
                                    CaptureOptions& options);

// How far a finished capture is from what was forecast: notes where its cost is
// more than twice off, and where launches were chosen and others measured.
void CheckForecast(const Capture& capture, Notes& notes);

}  // namespace rangefinder
