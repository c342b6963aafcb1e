// The user's rules, derived metrics, causes and frameworks, from the
// configuration: `rollup`, `derived`, `causes` and `frameworks`, maps by name,
// composed like every other group.

#pragma once

#include <vector>

#include "base/error.h"
#include "config/node.h"
#include "insight/causes.h"
#include "region/frameworks.h"
#include "rollup/rollup.h"

namespace rangefinder {

// Each function reads one map of a composed tree with all interpolations
// resolved, and replaces the content of `to`; if the tree lacks the map, the
// shipped one is used. kUsage, with key and place: an entry has an error.
Status ReadRollupSettings(const Node& tree, RollupOptions& to);
Status ReadCauses(const Node& tree, std::vector<CauseRule>& to);
Status ReadFrameworks(const Node& tree, std::vector<Framework>& to);

}  // namespace rangefinder
