// Compares the runs of two sides.

#pragma once

#include <span>

#include "base/error.h"
#include "diff/comparison.h"

namespace rangefinder {

// kUsage: a pairing rule names no region or kernel of the runs.
Result<Comparison> Compare(std::span<const RunFacts> base,
                           std::span<const RunFacts> other,
                           const DiffRules& rules);

// The noise of every region that all runs have. Empty for fewer than two runs.
Calibration Calibrate(std::span<const RunFacts> runs);

}  // namespace rangefinder
