// Runs a plan and writes a run directory, from which every report can be made
// again on any machine: the reports of ncu, its logs, the exact commands, the
// machine, the program, and a manifest that names the run and the reason of
// each file.
//
// Results are never lost: the manifest is rewritten after every run, the files
// of a failed run are kept, and a fallback keeps the files of the run that it
// replaces.

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "base/write_file.h"
#include "capture/options.h"
#include "capture/plan.h"
#include "capture/progress.h"
#include "capture/record.h"

namespace rangefinder {

using ProgressCallback = std::function<void(const Progress&)>;

// Everything that a capture needs before its first run: the program, ncu, and a
// run directory that no other capture writes while this object lives.
struct ReadyCapture {
  std::filesystem::path program{};
  std::filesystem::path ncu{};
  std::optional<FolderLock> held{};
};

// kUsage if there is no such program, or another capture holds the run
// directory; kProfiler without ncu.
Result<ReadyCapture> PrepareCapture(const CaptureOptions& options,
                                    ProcessRunner& runner);

// Runs `plan`. An Error means that no run could begin; later failures are in
// the Capture. A plan with a failure in its groundwork runs nothing, and writes
// a run directory with the reason.
Result<Capture> RunCapture(const ReadyCapture& ready,
                           const CaptureOptions& options,
                           const CapturePlan& plan, ProcessRunner& runner,
                           const ProgressCallback& progress = {});

// Prepares and runs `plan`.
Result<Capture> RunCapture(const CaptureOptions& options,
                           const CapturePlan& plan, ProcessRunner& runner,
                           const ProgressCallback& progress = {});

}  // namespace rangefinder
