// What was asked of ncu, as the capture room takes it.

#pragma once

#include <span>

#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "plan/settings.h"
#include "rollup/rollup.h"

namespace rangefinder {

// All of it but the NVTX filters, which plan/nvtx_filters.h makes: they depend
// on what is known of the program. kUsage for a replay mode or fallback that
// does not exist. Metrics that are added or left out are noted.
Result<NcuOptions> NcuOptionsFor(const NcuSettings& asked,
                                 std::span<const DerivedMetric> derived,
                                 Notes& notes);

}  // namespace rangefinder
