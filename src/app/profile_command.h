// `profile`: run, measure, report.

#pragma once

#include <string>
#include <vector>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/process.h"

namespace rangefinder {

// Captures `program` as `settings` say and reports it; with `dry_run` prints
// the plan and runs nothing but what the plan needs to know. What was captured
// is reported also where the capture failed half way, and the failure returned.
Status RunProfile(const Settings& settings,
                  const std::vector<std::string>& program, bool dry_run,
                  ProcessRunner& runner, const Console& console);

}  // namespace rangefinder
