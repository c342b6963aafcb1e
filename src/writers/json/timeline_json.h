// The block of the page that its timeline is drawn from
// (docs/report-json.md). Instances of regions by thread, kernels by stream,
// each with its region; of the baseline run, where there is one. And what the
// GPU's counters counted meanwhile, where they were sampled.

#pragma once

#include <string>

#include "report/report.h"

namespace rangefinder {

// The block as JSON; "null" where nothing is known of when anything ran. Of
// very many, short ones that lie close together are one interval.
std::string TimelineJson(const Report& report);

// The block before it is packed; empty where there is none.
std::string TimelineText(const Report& report);

}  // namespace rangefinder
