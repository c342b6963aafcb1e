// The ranks of a job: each captures into one run directory, and the last to
// finish reports them all.
//
// Who finished is a file in .ranks/ of the run directory. A rank that starts
// again removes its own file, so that the last rank finds exactly the files of
// this job.

#pragma once

#include <filesystem>
#include <functional>

#include "base/error.h"
#include "capture/options.h"

namespace rangefinder {

// How many of a job's ranks have finished.
struct RanksDone {
  int finished = 0;
  int world = 0;  // 0: unknown, or the rank could not be counted

  bool known() const { return world > 0; }
  bool all() const { return known() && finished >= world; }
};

// This rank has not finished. Best effort: without it a report comes early.
void BeginRank(const std::filesystem::path& run_dir, const Rank& rank);

// This rank has finished. Where all ranks of the job have and none of them has
// reported them, calls `report`, one rank of the machine at a time.
RanksDone FinishRank(const std::filesystem::path& run_dir, const Rank& rank,
                     const std::function<Status(const RanksDone&)>& report);

}  // namespace rangefinder
