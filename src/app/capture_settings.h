// From settings to what the capture room needs to know.

#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "capture/options.h"

namespace rangefinder {

// The options of a capture of `program`, or of pipeline.workload where
// `program` is empty. `nvtx_include` and `nvtx_exclude` are ncu's own
// expressions: what the patterns of the settings were translated to. Under a
// launcher the rank is that of this process. kUsage for a replay mode or
// fallback that does not exist.
Result<CaptureOptions> MakeCaptureOptions(
    const Settings& settings, std::vector<std::string> program,
    std::vector<std::string> nvtx_include,
    std::vector<std::string> nvtx_exclude);

}  // namespace rangefinder
