// Files that are written: as a part beside the file, then renamed, so that
// after a crash or on a full disk there is the old file or the new one, never a
// half.
//
// A writer locks its part. A part without a lock is a killed writer's; the next
// writer of the file removes it.

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file.h"

namespace rangefinder {

// Writes a file's bytes into the stream, so that they need not all be in
// memory.
using FileContent = std::function<void(std::ostream&)>;

// Replaces the file or symbolic link at `path`.
Status WriteFile(const std::filesystem::path& path, std::string_view bytes);
Status WriteFileBy(const std::filesystem::path& path, const FileContent& write);

// The same for the file `below` of the run directory `root`; missing folders
// are made. A run directory may come from a stranger, so a folder that is a
// symbolic link is refused (kSystem).
Status WriteBelow(const std::filesystem::path& root,
                  const std::filesystem::path& below, std::string_view bytes);
Status WriteBelowBy(const std::filesystem::path& root,
                    const std::filesystem::path& below,
                    const FileContent& write);
Status MakeFolderBelow(const std::filesystem::path& root,
                       const std::filesystem::path& below);

// The folder `below` of the run directory `root`, held open for several files.
class FolderBelow {
 public:
  // As WriteBelow() finds it.
  static Result<FolderBelow> Open(const std::filesystem::path& root,
                                  const std::filesystem::path& below);
  Status Write(const std::string& name, const FileContent& write) const;

 private:
  FolderBelow(Descriptor folder, std::filesystem::path path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  Descriptor folder_;
  std::filesystem::path path_;  // for errors
};

// Writes the file that a user named for a result. Symbolic links are followed;
// pipes and character devices are written to; folders, block devices and
// sockets are refused (kUsage).
Status WriteOutput(const std::filesystem::path& path, std::string_view bytes);

// Removes the parts in `folder` that no writer locks.
void ClearParts(const std::filesystem::path& folder);
// Whether `name` is the name of a part of the file `file`; "": of any file.
bool IsPartOf(std::string_view name, std::string_view file);

// mkdir -p, with errno's words.
Status MakeDirectories(const std::filesystem::path& path);

// ---- Locks -----------------------------------------------------------------

// A folder that one process, or several that share it, hold for their work.

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
