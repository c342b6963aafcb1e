// `rangefinder diff BASE NEW`: the changes between two sides, each of one run
// or several. `compare` makes the runs of both sides and ends with RunDiff().

#pragma once

#include <string>
#include <vector>

#include "app/commands.h"
#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

struct DiffRequest {
  std::string format = "table";  // table, md, html, json, junit, github
  Audience audience{};
  std::string output{};  // a file instead of standard output
  bool gate = false;
  bool calibrate = false;
  std::string sort = "time";
  std::string only{};  // "changed", or all
};

// From the common options of `diff` and `compare`. kUsage: unknown format.
Result<DiffRequest> DiffRequestOf(const CommandLine& line);
void ComparisonOptions(CLI::App& command, CommandLine& line);

// Under --gate, kUsage: the runs cannot be compared; kGate: a region got worse.
// The document is written first.
Status RunDiff(const std::vector<std::vector<std::string>>& sides,
               const DiffRequest& request, SettingsRequest settings,
               const Console& console);

}  // namespace rangefinder
