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
// `to`; a map that the tree does not have leaves those of `to`. kUsage for a
// rule or a formula that is none, with key and place.
Status ReadRollupSettings(const Node& tree, RollupOptions& to);

}  // namespace rangefinder
