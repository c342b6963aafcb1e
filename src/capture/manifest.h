// ncu/manifest.json: what a capture left, and how it came to be. Under a
// launcher each rank writes its own, ncu/manifest.rank3.json; reading takes
// them together.

#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "capture/capture.h"
#include "capture/options.h"

namespace rangefinder {

// The manifest's bytes. Files in it are relative to the run directory.
std::string ManifestJson(const CaptureOptions& options, const Capture& capture);

// Writes them to their place in the run directory.
Status WriteManifest(const CaptureOptions& options, const Capture& capture);

// The capture of `run_dir` as its manifests have it. kUsage where there is
// none. The failure of the capture is a note, and so is a manifest that is
// damaged.
Result<Capture> ReadCapture(const std::filesystem::path& run_dir);
// The same of one rank's manifest alone: no folder is listed, and no other file
// opened.
Result<Capture> ReadCaptureOfRank(const std::filesystem::path& run_dir,
                                  int rank);

// Whether one of `capture` was: there may be more than is named.
bool HasDamagedManifest(const Capture& capture);

}  // namespace rangefinder
