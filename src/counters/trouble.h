// What CUPTI's refusals mean to whoever wants counters, and what to do.

#pragma once

#include <string_view>

#include "counters/host_abi.h"

namespace rangefinder {

struct CounterTrouble {
  std::string_view why{};  // one clause: "another profiler has the counters"
  std::string_view fix{};
};

// Of a code other than kSuccess; of one that says nothing in particular, that
// it is not known, and where to look.
CounterTrouble TroubleOf(cupti::Code code);

}  // namespace rangefinder
