// regions.instances: makes ncu measure only these instances of a region, as far
// as ncu's options can select them.
//
// An instance is an execution of the outermost range around a kernel that ran
// more than once (region/path.h). analysis/analysis.h removes other instances
// that ncu measured.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "profile/profile.h"

namespace rangefinder {

// kUsage: ncu_cli.range_filter also selects instances, or none is left.
Status CheckInstances(const InstanceWindow& window, const NcuOptions& ncu);

// Range modes, before planning: `regions` with their wanted instances, counted
// in `profile`; a region without wanted instances is not wanted.
void CountInstances(const InstanceWindow& window, const Profile& profile,
                    std::vector<RegionToMeasure>& regions, Notes& notes);

// Range modes, after planning: makes ncu take only these instances, by ncu's
// numbers of the ranges. If the numbers are unknown, a run measures all
// instances and the report selects.
void FilterRanges(const InstanceWindow& window, const Profile& profile,
                  CapturePlan& plan, Notes& notes);

// Whether every run of the program launches in the order of `profile` (one
// process, one thread, no graphs), and no other option of ncu counts launches.
bool LaunchesAreInOrder(const Profile& profile, const NcuOptions& ncu);

// Kernel replay: limits ncu to a part of the selected launches (`which`, in
// their order) by --launch-skip and --launch-count: the launches of the wanted
// instances if they are consecutive, otherwise all up to the last wanted
// launch, and the report selects.
void FilterLaunches(const InstanceWindow& window, const Profile& profile,
                    const std::vector<const Measurement*>& which,
                    PlannedRun& run, Notes& notes);

// Increasing numbers in the form of ncu's options: "2|3|4", or a regular
// expression for a long list of all numbers from the first on. `last` is the
// highest number.
std::string NumbersText(const std::vector<std::uint64_t>& numbers,
                        std::uint64_t last);

}  // namespace rangefinder
