// The run directory as a capture writes it: held by one capture at a time, its
// logs and commands gathered for people to read.

#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/folder_lock.h"
#include "capture/capture.h"
#include "capture/options.h"

namespace rangefinder {

// `folder` of the run directory for one capture, or for the ranks of one
// launch, which share it. kUsage when another capture has it.
Result<FolderLock> HoldForCapture(const std::filesystem::path& run_dir,
                                  const std::filesystem::path& folder,
                                  bool shared);

// Its `ncu`, for one capture while this lives.
class RunDirectory {
 public:
  // Makes it, without the manifests of captures before. kUsage when another
  // capture has it, or when it holds one that must not be overwritten.
  static Result<RunDirectory> Claim(const CaptureOptions& options);

 private:
  explicit RunDirectory(FolderLock held) : held_(std::move(held)) {}

  FolderLock held_;
};

// ncu/cmd.txt: the commands of `runs`, each with its reason, to be typed again.
std::string CommandsText(const CaptureOptions& options,
                         const std::vector<RunRecord>& runs);

// ncu/log.txt: what ncu printed in each of `runs`.
std::string LogsText(const std::vector<RunRecord>& runs);

// Whether `folder`'s disk has so little left that it explains a failure.
bool IsFull(const std::filesystem::path& folder);

}  // namespace rangefinder
