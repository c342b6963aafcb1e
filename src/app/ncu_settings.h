// pipeline.ncu.ncu_cli.*: every option of ncu, checked before ncu runs.

#pragma once

#include "app/settings.h"
#include "base/error.h"
#include "config/node.h"

namespace rangefinder {

// `tree`: the resolved configuration. Fills the options of `out`.
Status ReadNcuSettings(const Node& tree, NcuSettings& out);

}  // namespace rangefinder
