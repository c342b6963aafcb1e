// Explanations and fixes for CUPTI's errors.

#pragma once

#include <string_view>

#include "counters/host_abi.h"

namespace rangefinder {

struct CounterTrouble {
  std::string_view why{};  // one clause: "another profiler has the counters"
  std::string_view fix{};
};

// For a code other than kSuccess. For a general code, the reason is "not
// known", and the fix names places to look.
CounterTrouble TroubleOf(cupti::Code code);

}  // namespace rangefinder
