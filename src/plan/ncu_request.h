// The request to ncu, as options of the module `capture`.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "plan/settings.h"
#include "profile/profile.h"
#include "region/nvtx_expression.h"
#include "rollup/rollup.h"

namespace rangefinder {

// ---- Metrics ---------------------------------------------------------------

// The metrics to request from ncu: the wanted metrics, with the inputs of
// derived metrics, without names that no chip has (ncu refuses a run for one
// such name), and with pipeline.ncu.exact_rollup also the inputs for exact
// rollups. Each change is a note.
std::vector<std::string> CollectedMetrics(
    const NcuSettings& ncu, std::span<const DerivedMetric> derived,
    Notes& notes);

// All options except the NVTX filters, which depend on the known regions of the
// program: SetNvtxFilters(). kUsage: unknown replay mode or fallback.
// Notes name added and left-out metrics.
Result<NcuOptions> NcuOptionsFor(const NcuSettings& asked,
                                 std::span<const DerivedMetric> derived,
                                 Notes& notes);

// ---- NVTX filters -----------------------------------------------------------

// The filter of these expressions of ncu, without those that have an error.
ncu::NvtxFilter NvtxFilterOf(const std::vector<std::string>& include,
                             const std::vector<std::string>& exclude);

// Puts the patterns of pipeline.ncu.ncu_cli.nvtx into `options`, as expressions
// of ncu. With a profile (`known`) the expressions name its regions; without
// (null) they select at least the meant regions. Gated without a pattern: any
// range. kUsage: an invalid pattern or expression.
Status SetNvtxFilters(const NcuSettings& ncu, const Profile* known,
                      NcuOptions& options, Notes& notes);

}  // namespace rangefinder
