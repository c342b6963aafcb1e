// A folder that one process at a time has for something.

#pragma once

#include <filesystem>
#include <optional>

#include "base/descriptor.h"
#include "base/error.h"

namespace rangefinder {

// Holds a folder (flock) as long as it lives; the end of the process, however
// it comes, ends it too. Where the file system has no locks everybody gets one.
class FolderLock {
 public:
  enum class Kind {
    kAlone,
    kShared,  // with others that share it
  };

  // Nothing when somebody else has it. kSystem when it cannot be opened.
  static Result<std::optional<FolderLock>> Try(
      const std::filesystem::path& folder, Kind kind);
  // Waits for it. kInterrupted where an InterruptGuard saw Ctrl-C meanwhile.
  static Result<FolderLock> Wait(const std::filesystem::path& folder,
                                 Kind kind);

 private:
  explicit FolderLock(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

}  // namespace rangefinder
