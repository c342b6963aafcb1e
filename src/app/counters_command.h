// `rangefinder counters [PATTERN…]`: what this machine's GPU, or another chip,
// can count, and in how many passes.

#pragma once

#include <string>
#include <vector>

#include "app/console.h"
#include "base/error.h"

namespace rangefinder {

struct CountersRequest {
  std::vector<std::string> patterns{};  // of metrics; none: an overview
  std::string chip{};                   // "GH100"; empty: this machine's first
  std::string format = "table";         // table or json
};

// Prints the metrics. kProfiler where there is no CUPTI, or no GPU and no chip
// was named; kUsage for a chip that CUPTI does not know and a pattern that is
// none. A pattern that no metric matches is an answer, and no error.
Status RunCounters(const CountersRequest& request, const Console& console);

}  // namespace rangefinder
