// ncu/manifest.json: the record of a capture. Under a launcher each rank writes
// its own, ncu/manifest.rank3.json; reading joins them.

#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "capture/options.h"
#include "capture/record.h"

namespace rangefinder {

// The manifest's bytes. Paths in it are relative to the run directory.
std::string ManifestJson(const CaptureOptions& options, const Capture& capture);

// Writes the manifest into the run directory.
Status WriteManifest(const CaptureOptions& options, const Capture& capture);

// Reads the manifests of `run_dir`. kUsage where there is none. A failure of
// the capture, and a damaged manifest, become notes.
Result<Capture> ReadCapture(const std::filesystem::path& run_dir);
// Reads one rank's manifest only: it lists no folder and opens no other file.
Result<Capture> ReadCaptureOfRank(const std::filesystem::path& run_dir,
                                  int rank);

// Whether a manifest of `capture` is damaged: there may be files that none
// names.
bool HasDamagedManifest(const Capture& capture);

}  // namespace rangefinder
