// The files that a command reads: the files of a run by its manifest, and loose
// files by name; and the files of a run that a later capture replaces.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "profile/profile.h"
#include "region/nvtx_expression.h"
#include "report/report.h"

namespace rangefinder {

struct RunArtifacts {
  std::vector<std::filesystem::path> files{};
  std::map<std::string, int> ranks{};  // by file, if a launcher gave it a rank
  // By file: the requested NVTX filter, if the file was captured without it
  // because the program crashed under it.
  std::map<std::string, ncu::NvtxFilter> unfiltered{};
  // The only instances that ncu measured, by file.
  std::map<std::string, InstanceWindow> windows{};
  std::vector<RunFact> runs{};  // made for it
  Notes notes{};                // of the capture
};

// For a run directory with a manifest: the reports of the capture (without
// reports that a fallback replaced), then the traces (of the baseline run, if
// the manifest names it) and nsys exports; no file if nothing was measured; if
// all of these are gone, FindDerived(). Otherwise as FindArtifacts().
Result<RunArtifacts> ArtifactsOf(const std::vector<std::string>& paths);

// The same for one rank of a shared run directory. If its manifest names its
// files, no folder is listed and no other rank's file opened. kUsage: the rank
// has no files.
Result<RunArtifacts> ArtifactsOfRank(const std::string& path, int rank);

// Makes a capture by `capture`, then removes the files of an earlier one that
// are still in the run directory, so that no report has both. They stay if the
// capture failed before it made a file. Of a job's ranks each replaces its own
// traces: other files may be of this job. kUsage: there are earlier files, and
// the user wants to keep them.
Status ReplaceCapture(const CaptureOptions& options,
                      const std::function<Status()>& capture);

// The note of a capture that the run lacks; null: none is missing.
const Note* MissingCapture(const RunArtifacts& artifacts);

// Applies the filters of `unfiltered` to `profile`, with a note of the number
// of removed measurements.
void ApplyFilters(const RunArtifacts& artifacts, Profile& profile,
                  Notes& notes);

}  // namespace rangefinder
