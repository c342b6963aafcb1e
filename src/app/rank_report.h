// What is said and reported when one of a job's ranks has finished.

#pragma once

#include "app/console.h"
#include "app/settings.h"
#include "capture/options.h"

namespace rangefinder {

// Reports the run directory where all ranks of the job have finished, and
// otherwise says how many have; a report that cannot be made is said, and fails
// no rank.
void ReportRank(const Rank& rank, const Settings& settings,
                const Console& console);

}  // namespace rangefinder
