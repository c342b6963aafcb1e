// Reads the profile of artifacts under regions.instances and regions.kernels:
// left-out parts of a trace are not read, and later steps see one population.

#pragma once

#include <map>
#include <string>

#include "analysis/run_artifacts.h"
#include "base/error.h"
#include "base/notes.h"
#include "capture/plan.h"
#include "profile/profile.h"
#include "region/merged_names.h"
#include "region/selection.h"

namespace rangefinder {

// kUsage for an invalid selection; reading's errors.
Result<Profile> ReadSelected(const RunArtifacts& artifacts,
                             const SelectionOptions& selected,
                             const InstanceWindow& window,
                             const NameMerging& merging, Notes& notes);

// Removes the measurements of all other instances from `profile`, except from
// files (by path) whose instances were selected before. Instances are those of
// the outermost range around a kernel that ran more than once; inner ranges go
// with the instance, and ranges that ran once stay.
void KeepInstances(const InstanceWindow& window,
                   const std::map<std::string, InstanceWindow>& chosen,
                   Profile& profile, Notes& notes);

}  // namespace rangefinder
