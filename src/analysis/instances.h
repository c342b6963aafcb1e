// regions.instances: which measured instances count.

#pragma once

#include <map>
#include <string>

#include "base/notes.h"
#include "capture/plan.h"
#include "profile/profile.h"

namespace rangefinder {

// Removes the measurements of all other instances from `profile`, except
// measurements of files (by path) whose instances were chosen before. Instances
// are those of the outermost range around a kernel that ran more than once;
// what is inside such an instance goes with it, and ranges that ran once are
// kept.
void KeepInstances(const InstanceWindow& window,
                   const std::map<std::string, InstanceWindow>& chosen,
                   Profile& profile, Notes& notes);

}  // namespace rangefinder
