// regions.instances: has ncu measure these executions of a region alone, as far
// as it can be told which they are.
//
// Instances are those of the outermost range around a kernel that ran more than
// once (region/path.h). What ncu measured of others all the same,
// analysis/instances.h leaves out.

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

// kUsage where ncu_cli.range_filter chooses instances too, or none is left.
Status CheckInstances(const InstanceWindow& window, const NcuOptions& ncu);

// Range modes, before planning: `regions` with the instances of each that are
// wanted, by what `profile` saw; none are not wanted.
void CountInstances(const InstanceWindow& window, const Profile& profile,
                    std::vector<RegionToMeasure>& regions, Notes& notes);

// Range modes, after planning: has ncu take these instances alone, by the
// number that it gives each range. Where that is not known, a run measures all
// instances and the report selects.
void FilterRanges(const InstanceWindow& window, const Profile& profile,
                  CapturePlan& plan, Notes& notes);

// Whether every run of the program launches in the order of `profile`, as far
// as that shows (one process, one thread, no graphs), and ncu is to count
// launches for nothing else.
bool LaunchesAreInOrder(const Profile& profile, const NcuOptions& ncu);

// Kernel replay: has ncu take a part of the launches that it selects (`which`,
// in their order) by --launch-skip and --launch-count: those of the wanted
// instances where they follow one another, and otherwise all up to the last of
// them, of which the report selects.
void FilterLaunches(const InstanceWindow& window, const Profile& profile,
                    const std::vector<const Measurement*>& which,
                    PlannedRun& run, Notes& notes);

// Increasing numbers as ncu's options take them: "2|3|4", or a regular
// expression for a long list of all from one on. `last` is the highest there
// is.
std::string NumbersText(const std::vector<std::uint64_t>& numbers,
                        std::uint64_t last);

}  // namespace rangefinder
