// The run directory: one capture holds it at a time; logs and commands are
// gathered for people.

#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/folder_lock.h"
#include "capture/options.h"
#include "capture/record.h"

namespace rangefinder {

// Locks `folder` of the run directory for one capture, or for the ranks of one
// launch together. kUsage if another capture holds it.
Result<FolderLock> HoldForCapture(const std::filesystem::path& run_dir,
                                  const std::filesystem::path& folder,
                                  bool shared);

// Holds the folder `ncu` of a run directory for one capture.
class RunDirectory {
 public:
  // Creates the folder, and removes the manifests of earlier captures. kUsage
  // if another capture holds it, or has files that must not be overwritten.
  static Result<RunDirectory> Claim(const CaptureOptions& options);

 private:
  explicit RunDirectory(FolderLock held) : held_(std::move(held)) {}

  FolderLock held_;
};

// ncu/cmd.txt: the commands of `runs` with their reasons.
std::string CommandsText(const CaptureOptions& options,
                         const std::vector<RunRecord>& runs);

// ncu/log.txt: the logs of `runs`.
std::string LogsText(const std::vector<RunRecord>& runs);

// Whether the disk of `folder` is so full that it explains a failure.
bool IsFull(const std::filesystem::path& folder);

}  // namespace rangefinder
