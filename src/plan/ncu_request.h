// The request to ncu, as options of the module capture.

#pragma once

#include <span>

#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "plan/settings.h"
#include "rollup/rollup.h"

namespace rangefinder {

// All options but the NVTX filters (plan/nvtx_filters.h), which depend on the
// known regions of the program. kUsage for an unknown replay mode or fallback.
// Notes name metrics that are added or left out.
Result<NcuOptions> NcuOptionsFor(const NcuSettings& asked,
                                 std::span<const DerivedMetric> derived,
                                 Notes& notes);

}  // namespace rangefinder
