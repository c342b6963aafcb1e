// `profile pipeline.ncu.kernel_config=FILE`: each kernel of a list profiled by
// a run of ncu of its own.

#pragma once

#include <string>
#include <vector>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/process.h"

namespace rangefinder {

// Profiles the kernels of the list one after the other, each into a folder of
// its own in ncu/ of the run directory (app/kernel_folder.h), and reports them
// all. A kernel that fails does not keep the others from being measured; the
// failure returned is the worst. With `dry_run` prints the commands and runs
// nothing. kUsage or kCorrupt for a list that is none, before anything runs.
Status RunKernelListProfile(const Settings& settings,
                            const std::vector<std::string>& program,
                            bool dry_run, ProcessRunner& runner,
                            const Console& console);

}  // namespace rangefinder
