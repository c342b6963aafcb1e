// `pipeline.nsys.enable=true`: a run under Nsight Systems, before anything
// else.

#pragma once

#include <string>
#include <vector>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/process.h"

namespace rangefinder {

// Runs `program` under nsys and exports what it left; the export is an artifact
// of the run directory like any other. Reports it where no stage follows
// (pipeline.ncu.enable=false). kProfiler without an nsys, before anything runs.
Status RunNsysStage(const Settings& settings,
                    const std::vector<std::string>& program, bool dry_run,
                    ProcessRunner& runner, const Console& console);

}  // namespace rangefinder
