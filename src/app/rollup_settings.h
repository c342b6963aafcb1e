// The user's rules and derived metrics, from the configuration: `rollup` and
// `derived`, maps by name, composed as every other group is.

#pragma once

#include "base/error.h"
#include "config/node.h"
#include "rollup/rollup.h"

namespace rangefinder {

// The rules and metrics of conf/rollup and conf/derived.
const RollupOptions& ShippedRollup();

// Reads both maps of a composed tree with all interpolations resolved into
// `to`; without such a map `to` keeps its entries. kUsage for a rule or a
// formula with an error, with key and place.
Status ReadRollupSettings(const Node& tree, RollupOptions& to);

}  // namespace rangefinder
