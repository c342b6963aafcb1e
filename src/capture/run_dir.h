// The run directory: one capture holds it at a time; logs and commands are
// collected for people.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/write_file.h"
#include "capture/options.h"
#include "capture/record.h"

namespace rangefinder {

// The error of a capture that would replace one that the user wants to keep.
Error KeptCapture(const std::filesystem::path& run_dir);

// Locks the folder `ncu` of the run directory for one capture, or for the ranks
// of one launch together. Creates the folder, and removes the manifests of
// earlier captures. kUsage if another capture holds the folder, or has files
// that must not be overwritten.
Result<FolderLock> ClaimForCapture(const CaptureOptions& options);

// Writes the manifest and, for people, the commands of all runs (ncu/cmd.txt)
// and their logs (ncu/log.txt).
Status SaveCapture(const CaptureOptions& options, const Capture& capture);

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
