// What a capture is made of, beyond what was typed: metrics that can be
// collected, inputs that make their rollup exact, the program that comes with
// us.

#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "base/notes.h"

namespace rangefinder {

// The metrics to ask ncu for: those wanted, derived ones taken apart, without
// the names that no chip has (ncu refuses a run for one of them), and with
// pipeline.ncu.exact_rollup what it takes to combine them exactly. All is
// noted.
std::vector<std::string> CollectedMetrics(const NcuSettings& ncu, Notes& notes,
                                          const RollupSettings& rollup = {});

// What is to be profiled: `program`, else pipeline.workload, else the bundled
// program, found beside this one or in RANGEFINDER_EXAMPLES. kUsage when there
// is none, with what to do.
Result<std::vector<std::string>> ProgramToRun(
    const std::vector<std::string>& program, const Settings& settings);

}  // namespace rangefinder
