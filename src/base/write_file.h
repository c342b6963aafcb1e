// Files that are written: first as a part next to the file, which is then
// renamed, so that after a crash or on a full disk there is the old file or the
// new one, never an incomplete one.
//
// A writer locks its part. A part without a lock belongs to a killed writer;
// the next writer of the file removes it.

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

// The same for the file `below` of the run directory `root`; makes missing
// folders. A run directory may be untrusted, so a folder that is a symbolic
// link is refused (kSystem).
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
  // The folder that WriteBelow() would use.
  static Result<FolderBelow> Open(const std::filesystem::path& root,
                                  const std::filesystem::path& below);
  Status Write(const std::string& name, const FileContent& write) const;

 private:
  FolderBelow(Descriptor folder, std::filesystem::path path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  Descriptor folder_;
  std::filesystem::path path_;  // for errors
};

// Writes the result to the file that a user named. Symbolic links are followed;
// pipes and character devices are written to; folders, block devices and
// sockets are refused (kUsage).
Status WriteOutput(const std::filesystem::path& path, std::string_view bytes);

// Removes the parts in `folder` that no writer locks.
void ClearParts(const std::filesystem::path& folder);
// Whether `name` is the name of a part of the file `file`; "": of any file.
bool IsPartOf(std::string_view name, std::string_view file);

// mkdir -p; errors have errno's text.
Status MakeDirectories(const std::filesystem::path& path);

// ---- Locks -----------------------------------------------------------------

// Locks a folder (flock) for the work of one process, or of several together,
// until it is destroyed or the process ends in any way.
// If the file system has no locks, every FolderLock is granted.
class FolderLock {
 public:
  enum class Kind {
    kAlone,
    kShared,  // with other kShared locks
  };

  // Nothing: another lock excludes it. kSystem: the folder cannot be opened.
  static Result<std::optional<FolderLock>> Try(
      const std::filesystem::path& folder, Kind kind);
  // Waits for the lock. kInterrupted: an InterruptGuard counted Ctrl-C
  // meanwhile.
  static Result<FolderLock> Wait(const std::filesystem::path& folder,
                                 Kind kind);

 private:
  explicit FolderLock(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

}  // namespace rangefinder
