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

// The rules and metrics of conf/rollup and conf/derived.
const RollupOptions& ShippedRollup();

// Reads both maps of a composed tree with all interpolations resolved into
// `to`; without such a map `to` keeps its entries. kUsage for a rule or a
// formula with an error, with key and place.
Status ReadRollupSettings(const Node& tree, RollupOptions& to);

// The causes of conf/causes, and those of a composed tree, as above.
const std::vector<CauseRule>& ShippedCauses();
Status ReadCauses(const Node& tree, std::vector<CauseRule>& to);

// The frameworks of conf/frameworks, and those of a composed tree, as above.
const std::vector<Framework>& ShippedFrameworks();
Status ReadFrameworks(const Node& tree, std::vector<Framework>& to);

}  // namespace rangefinder
