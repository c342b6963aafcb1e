// `rangefinder diff BASE NEW`: the changes between two sides, each of one run
// or several. `compare` makes the runs of both sides and ends with RunDiff().

#pragma once

#include <string>
#include <vector>

#include "app/commands.h"
#include "base/error.h"

namespace rangefinder {

// The common options of `diff` and `compare`, and their check.
void ComparisonOptions(CLI::App& command, CommandLine& line);
Status CheckComparison(const CommandLine& line);

// The paths of the runs of base and new; of a calibration, of its only side.
using DiffSides = std::vector<std::vector<std::string>>;

// Compares by the options of `asked`, which CheckComparison() has checked, and
// writes the document. Errors under --gate: kUsage, the runs cannot be
// compared; kGate, a region got worse.
Status RunDiff(const DiffSides& sides, const Invocation& asked);

}  // namespace rangefinder
