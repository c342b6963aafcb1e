// What a plan will cost, from the launches and regions that are known of the
// program, and how it is cut to pipeline.ncu.budget.

#pragma once

#include <optional>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/cost.h"
#include "capture/plan.h"
#include "profile/profile.h"

namespace rangefinder {

// Every kernel of `profile` in file order, with its time: what a discovery run
// or a trace measured, or 0 where neither did.
std::vector<Launch> LaunchesOf(const Profile& profile);

// Those of them that ncu would measure in `run`, a run of kernel or application
// replay, by its filters, in the order of their launches. `which` gets the
// measurement of each, where no launches are counted (--launch-count).
std::vector<Launch> SelectedLaunches(
    const Profile& profile, const NcuOptions& ncu, const PlannedRun& run,
    std::vector<const Measurement*>* which = nullptr);

// The cost of `plan`; `program_s` is what one run of the program takes by
// itself, and `launches` are those selected, of kernel and application replay.
// Nothing where the plan's runs are of ranges that are not known.
std::optional<Forecast> ForecastOf(const CapturePlan& plan,
                                   const NcuOptions& ncu,
                                   const std::vector<Launch>& launches,
                                   double program_s);

// Cuts `plan` and `ncu` to `seconds`: in kernel replay to the first launches of
// every (kernel, grid, block, shared memory), in range modes to whole runs.
// What it could not do, and what it leaves out, is noted.
void CutToBudget(double seconds, const std::vector<Launch>& launches,
                 double program_s, NcuOptions& ncu, CapturePlan& plan,
                 Notes& notes);

}  // namespace rangefinder
