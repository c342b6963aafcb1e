// From settings and the machine to what the capture room needs to know.

#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"

namespace rangefinder {

// Of a capture of `program`, or of what stands in for it (app/program.h), with
// the NVTX filters of a program that nothing is known of. Under a launcher the
// rank is that of this process. kUsage for what cannot be captured so.
Result<CaptureOptions> CaptureOptionsOf(const Settings& settings,
                                        const std::vector<std::string>& program,
                                        Notes& notes);

// The same without anything of ncu: of a run under another profiler.
Result<CaptureOptions> RunOptionsOf(const Settings& settings,
                                    const std::vector<std::string>& program);

}  // namespace rangefinder
