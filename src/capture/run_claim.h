// The run directory of a command that makes one, claimed for that command.

#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "base/folder_lock.h"

namespace rangefinder {

// Makes a folder that was not there: `wish`, or the first of `wish`_1,
// `wish`_2, … that nobody else has made. Its path.
Result<std::string> MakeNewFolder(const std::string& wish);

// A run directory, made and held for a capture. The destructor removes it where
// nothing was written into it.
class RunClaim {
 public:
  // `is_new`: the directory is named by the time, and its name changes where
  // another command began in the same second. `shared`: by the ranks of a job.
  // kUsage when another capture has it.
  static Result<RunClaim> Make(std::string& run_dir, bool is_new, bool shared);

  RunClaim(RunClaim&&) = default;
  RunClaim& operator=(RunClaim&&) = delete;
  RunClaim(const RunClaim&) = delete;
  ~RunClaim();

 private:
  RunClaim() = default;

  std::string made_{};  // by us, or empty
  std::optional<FolderLock> held_{};
};

}  // namespace rangefinder
