// The report of a job of several ranks: each captures into one run directory,
// and the last to finish reports them all.
//
// Who finished is a file in .ranks/ of the run directory. A rank that starts
// again takes its own away, so whatever was there before, the rank that really
// is the last finds all of them and writes the report.

#pragma once

#include <filesystem>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"
#include "capture/options.h"

namespace rangefinder {

// This rank has not finished. Best effort: without it a report comes early.
void BeginRank(const std::filesystem::path& run_dir, const Rank& rank);

// This rank has finished. Reports the run directory where all ranks of the job
// have, and otherwise says how many; a report that cannot be made is said, and
// fails no rank.
void FinishRank(const std::filesystem::path& run_dir, const Rank& rank,
                const Settings& settings, const Console& console);

}  // namespace rangefinder
