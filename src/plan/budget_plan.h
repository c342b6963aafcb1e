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

// Every kernel of `profile` in file order, with its time from a discovery run
// or a trace, or 0.
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
// Notes name the parts that are left out.
void CutToBudget(double seconds, const std::vector<Launch>& launches,
                 double program_s, NcuOptions& ncu, CapturePlan& plan,
                 Notes& notes);

}  // namespace rangefinder
