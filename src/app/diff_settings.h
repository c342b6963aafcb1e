// diff.*: from when a change counts, and what fails a gate.

#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "config/node.h"
#include "diff/comparison.h"
#include "diff/gate.h"

namespace rangefinder {

struct DiffSettings {
  DiffRules rules{};
  GateRules gate{};
};

// Takes the overrides of `diff.gate.regions` and `diff.gate.metrics` out of
// `overrides`: the names in them are regions' and metrics', with characters
// that Hydra's grammar has other uses for.
std::vector<std::string> TakeGateOverrides(std::vector<std::string>& overrides);

// Of a tree that CheckSettingsKeys() has been through, and those overrides;
// reads the files that it names. kUsage with the key, or with the file and the
// line, for what makes no sense; `today` as in GateRules.
Result<DiffSettings> ReadDiffSettings(
    const Node& tree, const std::vector<std::string>& gate_overrides,
    const std::string& today);

// The file of a calibration: JSON, docs/diff.md.
std::string CalibrationText(const Calibration& calibration,
                            const std::vector<std::string>& sources);

}  // namespace rangefinder
