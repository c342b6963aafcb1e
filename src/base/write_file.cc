#include "base/write_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <streambuf>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"

namespace rangefinder {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".part";

// ---- the bytes --------------------------------------------------------------

// A stream into a descriptor; after an error it drops further bytes.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int fd) : fd_(fd) {
    setp(block_.data(), block_.data() + block_.size());
  }

  // False, with errno: not all bytes were written.
  bool Finish() { return WriteBlock() && !failed_; }

 protected:
  int overflow(int c) override {
    if (!WriteBlock()) return traits_type::eof();
    if (c != traits_type::eof()) {
      *pptr() = static_cast<char>(c);
      pbump(1);
    }
    return 0;
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    if (count <= epptr() - pptr()) {
      std::copy_n(bytes, count, pptr());
      pbump(static_cast<int>(count));
      return count;
    }
    if (!WriteBlock()) return 0;
    return WriteAll({bytes, static_cast<std::size_t>(count)}) ? count : 0;
  }

 private:
  bool WriteBlock() {
    const bool written =
        WriteAll({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(block_.data(), block_.data() + block_.size());
    return written;
  }

  bool WriteAll(std::string_view bytes) {
    while (!bytes.empty() && !failed_) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        failed_ = true;
        error_ = errno;
      } else {
        bytes.remove_prefix(static_cast<std::size_t>(n));
      }
    }
    if (failed_) errno = error_;
    return !failed_;
  }

  int fd_;
  bool failed_ = false;
  int error_ = 0;
  std::array<char, 1 << 16> block_;
};

FileContent Bytes(std::string_view bytes) {
  return [bytes](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
}

// False, with errno: not all bytes were written.
bool WriteAndClose(Descriptor& file, const FileContent& write) {
  DescriptorBuffer buffer(file.get());
  std::ostream out(&buffer);
  write(out);
  return buffer.Finish() && file.Close();
}

// ---- beside and renamed -----------------------------------------------------

// Removes the part `name` of `folder` if no writer locks it, and returns
// whether it did. If the file system has no locks, the part stays.
bool ClearPart(int folder, const std::string& name) {
  const Descriptor part(::openat(
      folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!part.valid() || ::flock(part.get(), LOCK_EX | LOCK_NB) != 0)
    return false;
  // Since the part was opened, its writer may have renamed it, and another
  // writer may have made a part of this name. The locked file must still have
  // the name.
  struct stat locked {
  }, named{};
  return ::fstat(part.get(), &locked) == 0 &&
         ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         locked.st_dev == named.st_dev && locked.st_ino == named.st_ino &&
         ::unlinkat(folder, name.c_str(), 0) == 0;
}

// Locks a part for its writer; false: another process took it for abandoned and
// removed it.
bool Keep(const Descriptor& part) {
  if (::flock(part.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return false;
  struct stat about {};
  return ::fstat(part.get(), &about) != 0 || about.st_nlink > 0;
}

// Makes a part for the file `name` and sets `part` to its name. Invalid, with
// errno: it cannot be made.
Descriptor OpenPart(int folder, const std::string& name, std::string& part) {
  static std::atomic<unsigned> count{0};
  constexpr int kTries = 100;
  part = fmt::format(".{}{}", name, kUnfinished);
  for (int i = 0; i < kTries; ++i) {
    Descriptor file(::openat(folder, part.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.valid() && Keep(file)) return file;
    if (!file.valid() && errno != EEXIST) return file;
    // Another writer has a part of this file: the last one to rename wins.
    if (!ClearPart(folder, part))
      part = fmt::format(".{}.{}-{}{}", name, ::getpid(), ++count, kUnfinished);
  }
  return Descriptor();
}

// `path` names the file in errors.
Status WriteIn(int folder, const std::string& name, const fs::path& path,
               const FileContent& write) {
  std::string part;
  std::optional<InterruptWaits> creating(std::in_place);
  Descriptor file = OpenPart(folder, name, part);
  if (!file.valid()) return ErrnoError(path.string(), "cannot create");
  const UnfinishedFile unfinished((path.parent_path() / part).string());
  creating.reset();
  // Keeps the lock until the rename, after `file` is closed.
  const Descriptor held(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
  const auto fail = [&](std::string_view what) {
    Error error = ErrnoError(path.string(), what);
    ::unlinkat(folder, part.c_str(), 0);
    return error;
  };
  if (!WriteAndClose(file, write)) return fail("cannot write");
  if (::renameat(folder, part.c_str(), folder, name.c_str()) != 0)
    return fail("cannot rename");
  return Ok();
}

Descriptor OpenFolder(int from, const fs::path& path, int flags = 0) {
  return Descriptor(
      ::openat(from, path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | flags));
}

// Opens the folder `below` of `root`; makes missing folders, follows no
// symbolic link.
Result<Descriptor> OpenBelow(const fs::path& root, const fs::path& below) {
  TRY(MakeDirectories(root));
  Descriptor folder = OpenFolder(AT_FDCWD, root);
  if (!folder.valid())
    return ErrnoError(root.string(), "cannot open the folder");
  fs::path at = root;
  for (const fs::path& name : below) {
    if (name.empty() || name == ".") continue;
    at /= name;
    if (name == ".." || name.is_absolute()) {
      return Error(ErrorCode::kSystem,
                   at.string() + ": is outside of the run directory");
    }
    Descriptor inner = OpenFolder(folder.get(), name, O_NOFOLLOW);
    if (!inner.valid() && errno == ENOENT) {
      if (::mkdirat(folder.get(), name.c_str(), 0777) != 0 && errno != EEXIST)
        return ErrnoError(at.string(), "cannot create the folder");
      inner = OpenFolder(folder.get(), name, O_NOFOLLOW);
    }
    if (inner.valid()) {
      folder = std::move(inner);
      continue;
    }
    const int why = errno;
    struct stat about {};
    if (::fstatat(folder.get(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) ==
            0 &&
        S_ISLNK(about.st_mode)) {
      return Error(ErrorCode::kSystem,
                   at.string() +
                       ": is a symbolic link; Rangefinder writes through no "
                       "symbolic link of a run directory: remove it");
    }
    errno = why;
    return ErrnoError(at.string(), "cannot open the folder");
  }
  return folder;
}

// ---- files that a user named ------------------------------------------------

// The path at the end of the symbolic links that begin at `path`; the file need
// not exist.
fs::path TargetOf(fs::path path) {
  constexpr int kMostLinks = 40;  // as in Linux
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;
  }
  return path;
}

// Opens a pipe or device for writing. Waits a second at most for a reader of
// the pipe, so that a pipe without a reader does not block the command.
Descriptor OpenSpecial(const fs::path& path, bool is_pipe) {
  constexpr int kTries = 100;
  constexpr int kTryMs = 10;
  const int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC;
  if (!is_pipe) return Descriptor(::open(path.c_str(), flags));
  Descriptor pipe;
  for (int i = 0; i < kTries && !pipe.valid(); ++i) {
    if (i > 0) ::poll(nullptr, 0, kTryMs);
    pipe = Descriptor(::open(path.c_str(), flags | O_NONBLOCK));
    if (!pipe.valid() && errno != ENXIO) break;
  }
  if (pipe.valid()) ::fcntl(pipe.get(), F_SETFL, O_WRONLY);
  return pipe;
}

Status WriteSpecial(const fs::path& path, mode_t mode, std::string_view bytes) {
  if (!S_ISCHR(mode) && !S_ISFIFO(mode)) {
    return Error(
        ErrorCode::kUsage,
        fmt::format("{}: is a {}, not a file to write to", path.string(),
                    S_ISDIR(mode)   ? "folder"
                    : S_ISBLK(mode) ? "block device"
                                    : "socket"));
  }
  Descriptor file = OpenSpecial(path, S_ISFIFO(mode));
  if (!file.valid() && errno == ENXIO && S_ISFIFO(mode)) {
    return Error(ErrorCode::kSystem,
                 path.string() + ": is a pipe that no program reads from");
  }
  if (!file.valid()) return ErrnoError(path.string(), "cannot open");
  if (!WriteAndClose(file, Bytes(bytes)))
    return ErrnoError(path.string(), "cannot write");
  return Ok();
}

}  // namespace

Status WriteFile(const fs::path& path, std::string_view bytes) {
  return WriteFileBy(path, Bytes(bytes));
}

Status WriteFileBy(const fs::path& path, const FileContent& write) {
  const fs::path parent = path.parent_path();
  const Descriptor folder = OpenFolder(AT_FDCWD, parent.empty() ? "." : parent);
  if (!folder.valid()) return ErrnoError(path.string(), "cannot create");
  return WriteIn(folder.get(), path.filename().string(), path, write);
}

Status WriteBelow(const fs::path& root, const fs::path& below,
                  std::string_view bytes) {
  return WriteBelowBy(root, below, Bytes(bytes));
}

Status WriteBelowBy(const fs::path& root, const fs::path& below,
                    const FileContent& write) {
  const FolderBelow folder = TRY(FolderBelow::Open(root, below.parent_path()));
  return folder.Write(below.filename().string(), write);
}

Status MakeFolderBelow(const fs::path& root, const fs::path& below) {
  TRY(OpenBelow(root, below));
  return Ok();
}

Result<FolderBelow> FolderBelow::Open(const fs::path& root,
                                      const fs::path& below) {
  return FolderBelow(TRY(OpenBelow(root, below)), root / below);
}

Status FolderBelow::Write(const std::string& name,
                          const FileContent& write) const {
  return WriteIn(folder_.get(), name, path_ / name, write);
}

Status WriteOutput(const fs::path& path, std::string_view bytes) {
  struct stat about {};
  const bool there = ::stat(path.c_str(), &about) == 0;
  if (!there && errno == ELOOP) return ErrnoError(path.string(), "cannot open");
  if (there && !S_ISREG(about.st_mode))
    return WriteSpecial(path, about.st_mode, bytes);
  return WriteFile(TargetOf(path), bytes);
}

bool IsPartOf(std::string_view name, std::string_view file) {
  return name.size() >= 1 + file.size() + kUnfinished.size() &&
         name.starts_with('.') && name.substr(1).starts_with(file) &&
         name.ends_with(kUnfinished);
}

void ClearParts(const fs::path& folder) {
  const Descriptor open = OpenFolder(AT_FDCWD, folder, O_NOFOLLOW);
  if (!open.valid()) return;
  for (const fs::path& path : PathsIn(folder)) {
    const std::string name = path.filename().string();
    if (IsPartOf(name, "")) ClearPart(open.get(), name);
  }
}

Status MakeDirectories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    return Error(ErrorCode::kSystem,
                 fmt::format("{}: cannot create the folder: {}", path.string(),
                             error.message()));
  }
  return Ok();
}

// ---- Locks -----------------------------------------------------------------

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
