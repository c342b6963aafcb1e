// diff.*: thresholds of changes, and limits of a gate.

#pragma once

#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"
#include "config/node.h"
#include "diff/comparison.h"
#include "diff/gate.h"

namespace rangefinder {

struct DiffRequirements {
  DiffRules rules{};
  GateRules gate{};
};

// Removes the overrides of `diff.gate.regions` and `diff.gate.metrics` from
// `overrides` and returns them: names of regions and metrics have characters
// that Hydra's grammar does not allow in keys.
std::vector<std::string> TakeGateOverrides(std::vector<std::string>& overrides);

// The settings with the limits of metrics and regions, first from `tree` and
// then from the overrides, and with the files that the settings name. kUsage
// with the key, or with the file and the line; `today` as in GateRules.
Result<DiffRequirements> ReadDiffRequirements(
    const Node& tree, const DiffSettings& settings,
    const std::vector<std::string>& gate_overrides, const std::string& today);

// The file of a calibration: JSON, docs/diff.md.
std::string CalibrationText(const Calibration& calibration,
                            const std::vector<std::string>& sources);

}  // namespace rangefinder
