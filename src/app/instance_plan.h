// regions.instances: which executions of a region are measured, and which of
// those that were measured count.

#pragma once

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

// Range modes: has ncu take the wanted instances alone (--range-filter), and
// counts those of `regions`. kUsage where ncu_cli.range_filter is set too.
Status SelectInstances(const RegionSettings& settings, NcuOptions& ncu,
                       std::vector<RegionToMeasure>& regions, Notes& notes);

// The numbers from skip + 1 on, `count` of them (nothing: all), as ncu's option
// takes them: "2|3|4", or a regular expression.
std::string InstanceNumbers(std::uint64_t skip,
                            std::optional<std::uint64_t> count);

// Removes the kernels of all other instances from `profile`. Instances are
// those of the outermost range around a kernel that ran more than once; what is
// inside such an instance goes with it, and ranges that ran once are kept.
// Ranges measured as a whole are those that were asked for already.
void KeepInstances(const RegionSettings& settings, Profile& profile,
                   Notes& notes);

}  // namespace rangefinder
