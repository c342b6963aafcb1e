// The data of the page's timeline (docs/report-json.md): instances of regions
// by thread, and kernels by stream, each with its region, from the baseline run
// if there is one; and the GPU's counters during that time, if they were
// sampled.

#pragma once

#include <string>

#include "report/report.h"

namespace rangefinder {

// The block as JSON; "null" if no times are known. If there are very many
// intervals, short intervals close together are joined.
std::string TimelineJson(const Report& report);

// The block before it is packed; empty if there is none.
std::string TimelineText(const Report& report);

}  // namespace rangefinder
