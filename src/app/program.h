// Which program a command runs.

#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

// What is to be profiled: `program`, else pipeline.workload, else the bundled
// program, found beside this one or in RANGEFINDER_EXAMPLES. kUsage when there
// is none, with what to do.
Result<std::vector<std::string>> ProgramToRun(
    const std::vector<std::string>& program, const Settings& settings);

}  // namespace rangefinder
