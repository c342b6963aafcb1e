// The run directory: one capture holds it at a time; logs and commands are
// collected for people.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/write_file.h"
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

// ---- Claims ----------------------------------------------------------------

// The run directory of a command that makes one, claimed for that command.

// Makes a new folder: `wish`, or the first of `wish`_1, `wish`_2, … that does
// not exist. Returns its path.
Result<std::string> MakeNewFolder(const std::string& wish);

// A run directory, made and held for a capture. The destructor removes it if it
// is empty.
class RunClaim {
 public:
  // `is_new`: the directory is named by the time, and gets another name if a
  // second command began in the same second. `shared`: the ranks of a job share
  // it. kUsage: another capture holds it.
  static Result<RunClaim> Make(std::string& run_dir, bool is_new, bool shared);

  RunClaim(RunClaim&&) = default;
  RunClaim& operator=(RunClaim&&) = delete;
  RunClaim(const RunClaim&) = delete;
  ~RunClaim();

 private:
  RunClaim() = default;

  std::string made_{};  // made by this object, or empty
  std::optional<FolderLock> held_{};
};

}  // namespace rangefinder
