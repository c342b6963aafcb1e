// The run directory of a command that makes one: nobody else's.

#pragma once

#include <optional>
#include <string>

#include "app/settings.h"
#include "base/error.h"
#include "base/folder_lock.h"

namespace rangefinder {

// Makes a folder that was not there: `wish`, or the first of `wish`_1,
// `wish`_2, … that nobody else has made. Its path.
Result<std::string> MakeNewFolder(const std::string& wish);

// The run directory of `settings`, made and held for a capture. One that is
// named by the time is a new one, and its name goes into the settings: somebody
// else may have begun in the same second. It is gone again where nothing was
// written into it.
class RunClaim {
 public:
  // `shared`: by the ranks of a job. kUsage when another capture has it.
  static Result<RunClaim> Make(Settings& settings, bool shared);

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
