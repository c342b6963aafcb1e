#include "base/folder_lock.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "base/process.h"

namespace rangefinder {
namespace {

Result<Descriptor> OpenToLock(const std::filesystem::path& folder) {
  Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open.valid()) return open;
  return ErrnoError(folder.string(), "cannot open");
}

int Operation(FolderLock::Kind kind) {
  return kind == FolderLock::Kind::kAlone ? LOCK_EX : LOCK_SH;
}

}  // namespace

Result<std::optional<FolderLock>> FolderLock::Try(
    const std::filesystem::path& folder, Kind kind) {
  Descriptor open = TRY(OpenToLock(folder));
  if (::flock(open.get(), Operation(kind) | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK)
    return std::optional<FolderLock>();
  return std::optional<FolderLock>(FolderLock(std::move(open)));
}

Result<FolderLock> FolderLock::Wait(const std::filesystem::path& folder,
                                    Kind kind) {
  Descriptor open = TRY(OpenToLock(folder));
  while (::flock(open.get(), Operation(kind)) != 0 && errno == EINTR) {
    if (InterruptGuard::Count() > 0) {
      return Error(ErrorCode::kInterrupted,
                   fmt::format("interrupted while another process held {}",
                               folder.string()));
    }
  }
  return FolderLock(std::move(open));
}

}  // namespace rangefinder
