// The cost of a plan, from the known launches and regions of the program, and
// the plan cut to pipeline.ncu.budget.

#pragma once

#include <optional>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/cost.h"
#include "capture/plan.h"
#include "profile/profile.h"

namespace rangefinder {

// The launches that ncu would measure in `run`, a run of kernel or application
// replay, by its filters, in the order of launch, each with its time from a
// trace or a discovery run, or 0. `which` gets the measurement of each, unless
// launches are counted (--launch-count).
std::vector<Launch> SelectedLaunches(
    const Profile& profile, const NcuOptions& ncu, const PlannedRun& run,
    std::vector<const Measurement*>* which = nullptr);

// The cost of `plan`; `program_s` is the time of the program alone, and
// `launches` are the selected launches, for kernel and application replay.
// Nothing if the plan's runs measure unknown ranges.
std::optional<Forecast> ForecastOf(const CapturePlan& plan,
                                   const NcuOptions& ncu,
                                   const std::vector<Launch>& launches,
                                   double program_s);

// Cuts `plan` and `ncu` to `seconds`: in kernel replay to the first launches of
// every (kernel, grid, block, shared memory), in range modes to whole runs.
// Notes name the left-out parts.
void CutToBudget(double seconds, const std::vector<Launch>& launches,
                 double program_s, NcuOptions& ncu, CapturePlan& plan,
                 Notes& notes);

}  // namespace rangefinder
