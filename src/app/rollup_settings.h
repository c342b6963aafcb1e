// The user's rules and derived metrics, from the configuration: `rollup` and
// `derived`, maps by name, composed as every other group is.

#pragma once

#include <optional>
#include <vector>

#include "base/error.h"
#include "config/node.h"
#include "rollup/rollup.h"

namespace rangefinder {

struct RollupSettings {
  // Nothing where the configuration does not speak of them, as one without our
  // groups in its defaults list: then those that come with the program hold.
  std::optional<std::vector<UserRule>> rules{};
  std::optional<std::vector<DerivedMetric>> derived{};
};

// Of a composed tree with all interpolations resolved. kUsage for a rule or a
// formula that is none, with key and place.
Result<RollupSettings> ReadRollupSettings(const Node& tree);

// What RollUp and Explain are to be given.
RollupOptions RollupOptionsOf(const RollupSettings& settings);

}  // namespace rangefinder
