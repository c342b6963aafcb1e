// The user's rules, derived metrics, causes and frameworks, from the
// configuration: `rollup`, `derived`, `causes` and `frameworks`, maps by name,
// composed as every other group is.

#pragma once

#include <vector>

#include "base/error.h"
#include "config/node.h"
#include "insight/causes.h"
#include "region/frameworks.h"
#include "rollup/rollup.h"

namespace rangefinder {

// Each reads maps of a composed tree with all interpolations resolved, in place
// of what `to` had; where the tree has no such map, the shipped one. kUsage for
// an entry with an error, with key and place.
Status ReadRollupSettings(const Node& tree, RollupOptions& to);
Status ReadCauses(const Node& tree, std::vector<CauseRule>& to);
Status ReadFrameworks(const Node& tree, std::vector<Framework>& to);

}  // namespace rangefinder
