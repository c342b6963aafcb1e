// The files that a command reads: a run's as its manifest has them, loose ones
// as they were named.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "capture/plan.h"
#include "profile/profile.h"
#include "report/report.h"

namespace rangefinder {

struct RunArtifacts {
  std::vector<std::filesystem::path> files{};
  std::map<std::string, int> ranks{};  // by file, where a launcher gave one
  // Captured without the NVTX filter that was asked for, since the program
  // crashed under it: by file, what the filter would have been.
  struct Filter {
    std::vector<std::string> include{};  // ncu's expressions
    std::vector<std::string> exclude{};
  };
  std::map<std::string, Filter> unfiltered{};
  // Of which instances ncu measured nothing else: by file.
  std::map<std::string, InstanceWindow> windows{};
  std::vector<RunFact> runs{};  // that were made for it
  Notes notes{};                // of the capture
};

// Of a run directory with a manifest: the reports that its capture stands by
// (not those that a fallback replaced), then its traces (those of its own run
// under the tracer, where the manifest has them) and nsys exports; no file
// where nothing was measured. Otherwise as FindArtifacts().
Result<RunArtifacts> ArtifactsOf(const std::vector<std::string>& paths);

// The same of one rank of a shared run directory: where its manifest names its
// files, no folder is listed and no other rank's file opened. kUsage where
// nothing of it is there.
Result<RunArtifacts> ArtifactsOfRank(const std::string& path, int rank);

// Does in `profile` what ncu could not do with the files of `unfiltered`, with
// a note of how much was left out.
void ApplyFilters(const RunArtifacts& artifacts, Profile& profile,
                  Notes& notes);

}  // namespace rangefinder
