// pipeline.ncu.ncu_cli.*: every option of ncu, checked before ncu runs.

#pragma once

#include "base/error.h"
#include "config/node.h"
#include "plan/settings.h"

namespace rangefinder {

// The options of a resolved configuration that have no row in the settings
// table, checked against ncu's own table; the rows have been read into `out`.
Status ReadNcuOptions(const Node& tree, NcuSettings& out);

}  // namespace rangefinder
