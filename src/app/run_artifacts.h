// The files that a command reads: a run's as its manifest has them, loose ones
// as they were named.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "report/report.h"

namespace rangefinder {

struct RunArtifacts {
  std::vector<std::filesystem::path> files{};
  std::map<std::string, int> ranks{};  // by file, where a launcher gave one
  std::vector<RunFact> runs{};         // that were made for it
  Notes notes{};                       // of the capture
};

// Of a run directory with a manifest: the reports that its capture stands by
// (not those that a fallback replaced), then its traces and nsys exports; no
// file where nothing was measured. Otherwise as FindArtifacts().
Result<RunArtifacts> ArtifactsOf(const std::vector<std::string>& paths);

}  // namespace rangefinder
