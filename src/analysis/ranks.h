// The ranks of a job: each captures into one run directory, and the last to
// finish reports all of them.
//
// Each finished rank has a file in .ranks/ of the run directory. A rank that
// starts again removes its own file, so that the last rank finds exactly the
// files of this job.

#pragma once

#include <filesystem>
#include <functional>

#include "base/error.h"
#include "capture/options.h"

namespace rangefinder {

// Number of finished ranks of a job.
struct RanksDone {
  int finished = 0;
  int world = 0;  // 0: unknown, or the rank could not be counted

  bool known() const { return world > 0; }
  bool all() const { return known() && finished >= world; }
};

// Records that this rank has not finished. Best effort: if it fails, a report
// may come too early.
void BeginRank(const std::filesystem::path& run_dir, const Rank& rank);

// Records that this rank has finished. If all ranks of the job have finished,
// and no rank has reported them yet, calls `report`, for one rank of the
// machine at a time.
RanksDone FinishRank(const std::filesystem::path& run_dir, const Rank& rank,
                     const std::function<Status(const RanksDone&)>& report);

}  // namespace rangefinder
