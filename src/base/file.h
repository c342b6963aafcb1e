// Files that are read: mapped into memory, and readable whatever happens to the
// file meanwhile.
//
// If the kernel cannot provide a page of a mapping (the file was truncated, a
// hole on a full tmpfs, a failing disk), it sends SIGBUS, which ends a program.
// A FileMapping then reads the page into memory instead, or uses zeros if that
// fails.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace rangefinder {

// A file descriptor that its owner closes.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }

  // False, with errno: closing failed.
  bool Close() { return fd_ < 0 || ::close(Release()) == 0; }
  int Release() { return std::exchange(fd_, -1); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

class FileMapping {
 public:
  // Maps the first `about.st_size` bytes of the regular file `fd`, opened from
  // `path`; `fd` may be closed then. Nothing, with errno: this failed.
  static std::optional<FileMapping> Of(int fd,
                                       const std::filesystem::path& path,
                                       const struct stat& about);
  FileMapping(FileMapping&&) noexcept = default;
  FileMapping& operator=(FileMapping&&) noexcept = default;

  std::string_view bytes() const { return {pages_->begin, pages_->size}; }
  // Whether a part could not be read, and is zeros in bytes().
  bool is_incomplete() const {
    return pages_->incomplete.load(std::memory_order_relaxed);
  }
  // Tells the kernel that [offset, offset + length) will not be read again.
  void Forget(std::size_t offset, std::size_t length) const;

 private:
  // The signal handler keeps the address of each.
  struct Pages {
    Pages(const std::filesystem::path& file, const struct stat& about)
        : path(file.string()),
          device(about.st_dev),
          inode(about.st_ino),
          size(static_cast<std::size_t>(about.st_size)) {}
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    ~Pages();
    bool Holds(const void* address) const;
    std::size_t Read(std::size_t offset, char* to, std::size_t length) const;
    bool Replace(const void* address);

    std::string path;
    dev_t device;
    ino_t inode;
    std::size_t size;
    char* begin = nullptr;
    std::atomic<bool> incomplete = false;
  };
  class Watch;

  explicit FileMapping(std::unique_ptr<Pages> pages)
      : pages_(std::move(pages)) {}

  std::unique_ptr<Pages> pages_;
};

// A hole of at least a mebibyte in a file: zeros that a reader can skip.
struct FileHole {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// The bytes of a file, mapped read-only while this object lives. The bytes of a
// pipe (a named one, /dev/stdin) are read into memory instead.
class MappedFile {
 public:
  // Whether a reader wants a file that begins with these bytes.
  using Wanted = bool (*)(std::string_view first);

  // kSystem: the file cannot be opened. kUsage: it is a folder, a device or a
  // socket. If the first bytes of a pipe are not `wanted`, only they are read.
  static Result<MappedFile> Open(const std::filesystem::path& path,
                                 Wanted wanted = nullptr);

  std::string_view bytes() const {
    return mapping_ ? mapping_->bytes() : std::string_view(owned_);
  }
  bool is_incomplete() const { return mapping_ && mapping_->is_incomplete(); }
  // In order of their offset.
  const std::vector<FileHole>& holes() const { return holes_; }
  void Forget(std::size_t offset, std::size_t length) const {
    if (mapping_) mapping_->Forget(offset, length);
  }

 private:
  MappedFile() = default;

  std::optional<FileMapping> mapping_;
  std::vector<FileHole> holes_;
  std::string owned_;
};

// Time of the last change of a file in seconds since 1970; 0: unknown.
std::uint64_t ModificationTime(const std::filesystem::path& path);

// The text of a file of at most kMostText bytes; kCorrupt: it is longer.
inline constexpr std::size_t kMostText = std::size_t{1} << 30;
Result<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace rangefinder
