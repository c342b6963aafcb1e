// `discover`: one run under the tracer, and its report.

#pragma once

#include <string>
#include <vector>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/process.h"

namespace rangefinder {

// Runs `program` under the tracer and reports what it saw. kTarget where the
// program failed, after its report.
Status RunDiscover(const Settings& settings,
                   const std::vector<std::string>& program,
                   ProcessRunner& runner, const Console& console);

// A `profile` that has nothing to collect: discovers, and says what to enable.
// With `dry_run` only says so.
Status RunWithoutProfiler(const Settings& settings,
                          const std::vector<std::string>& program, bool dry_run,
                          ProcessRunner& runner, const Console& console);

}  // namespace rangefinder
