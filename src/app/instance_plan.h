// regions.instances: which executions of a region are measured, and which of
// those that were measured count.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "profile/profile.h"

namespace rangefinder {

bool AsksForInstances(const RegionSettings& settings);

InstanceWindow WindowOf(const RegionSettings& settings);

// kUsage where ncu_cli.range_filter chooses instances too, or none is left.
Status CheckInstances(const RegionSettings& settings, const NcuOptions& ncu);

// Range modes, before planning: `regions` with the instances of each that are
// wanted, by what `profile` saw; none are not wanted.
void CountInstances(const RegionSettings& settings, const Profile& profile,
                    std::vector<RegionToMeasure>& regions, Notes& notes);

// Range modes, after planning: has ncu take these instances alone, by the
// number that it gives each range. Where that is not known, a run measures all
// instances and KeepInstances() selects.
void FilterRanges(const RegionSettings& settings, const Profile& profile,
                  CapturePlan& plan, Notes& notes);

// Whether every run of the program launches in the order of `profile`, as far
// as that shows (one process, one thread, no graphs), and ncu is to count
// launches for nothing else.
bool LaunchesAreInOrder(const Profile& profile, const NcuOptions& ncu);

// Kernel replay: has ncu take a part of the launches that it selects (`which`,
// in their order) by --launch-skip and --launch-count: those of the wanted
// instances where they follow one another, and otherwise all up to the last of
// them, of which KeepInstances() selects.
void FilterLaunches(const RegionSettings& settings, const Profile& profile,
                    const std::vector<const Measurement*>& which,
                    PlannedRun& run, Notes& notes);

// Increasing numbers as ncu's options take them: "2|3|4", or a regular
// expression for a long list of all from one on. `last` is the highest there
// is.
std::string NumbersText(const std::vector<std::uint64_t>& numbers,
                        std::uint64_t last);

// Removes the measurements of all other instances from `profile`, but for those
// of the files (by path) whose instances were chosen before. Instances are
// those of the outermost range around a kernel that ran more than once; what is
// inside such an instance goes with it, and ranges that ran once are kept.
void KeepInstances(const RegionSettings& settings,
                   const std::map<std::string, InstanceWindow>& chosen,
                   Profile& profile, Notes& notes);

}  // namespace rangefinder
