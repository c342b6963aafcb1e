// A folder that one process, or several that share it, hold for their work.

#pragma once

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/file.h"

namespace rangefinder {

// Holds a folder (flock) until it is destroyed or the process ends in any way.
// Where the file system has no locks, every FolderLock is granted.
class FolderLock {
 public:
  enum class Kind {
    kAlone,
    kShared,  // with other kShared locks
  };

  // Nothing where another lock excludes it. kSystem where the folder cannot be
  // opened.
  static Result<std::optional<FolderLock>> Try(
      const std::filesystem::path& folder, Kind kind);
  // Waits for the lock. kInterrupted where an InterruptGuard saw Ctrl-C
  // meanwhile.
  static Result<FolderLock> Wait(const std::filesystem::path& folder,
                                 Kind kind);

 private:
  explicit FolderLock(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

}  // namespace rangefinder
