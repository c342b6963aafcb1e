// The request to ncu, as options of the module `capture`.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "plan/settings.h"
#include "rollup/rollup.h"

namespace rangefinder {

// ---- Metrics ---------------------------------------------------------------

// The metrics to request from ncu for the metrics that the user requested.

// The metrics to request from ncu: the wanted metrics, with the inputs of
// derived metrics, without names that no chip has (ncu refuses a run for one
// such name), and with pipeline.ncu.exact_rollup also the inputs for exact
// rollups. Each change is a note.
std::vector<std::string> CollectedMetrics(
    const NcuSettings& ncu, std::span<const DerivedMetric> derived,
    Notes& notes);

// All options except the NVTX filters (plan/nvtx_filters.h), which depend on
// the known regions of the program. kUsage: unknown replay mode or fallback.
// Notes name added and left-out metrics.
Result<NcuOptions> NcuOptionsFor(const NcuSettings& asked,
                                 std::span<const DerivedMetric> derived,
                                 Notes& notes);

}  // namespace rangefinder
