// rangefinder summarize and merge: a rank's run as a small summary, and any
// number of them as one.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/console.h"
#include "app/run_settings.h"
#include "base/error.h"

namespace rangefinder {

// Of a run directory with many ranks the files of `rank` alone, where it is
// given: none else is opened.
Status RunSummarize(const std::vector<std::string>& paths,
                    const std::string& output, std::optional<int> rank,
                    const RunSettings& run, const Console& console);

// A path that begins with @ is a file of paths, a line each.
Status RunMerge(const std::vector<std::string>& paths,
                const std::string& output, bool strict, const Console& console);

}  // namespace rangefinder
