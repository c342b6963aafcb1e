// Files that are read: mapped into memory, and readable whatever happens to the
// file meanwhile.
//
// If the kernel cannot provide a page of a mapping (the file was truncated, a
// hole on a full tmpfs, a failing disk), it sends SIGBUS, which ends a program.
// A MappedFile then reads the page into memory instead, or uses zeros if that
// fails.

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// A hole of at least a mebibyte in a file: zeros that a reader can skip.
struct FileHole {
  std::size_t offset = 0;
  std::size_t length = 0;
};

struct MappedPages;

// The bytes of a file, mapped read-only while this object lives. The bytes of a
// pipe (a named one, /dev/stdin) are read into memory instead.
class MappedFile {
 public:
  MappedFile(MappedFile&&) noexcept = default;
  MappedFile& operator=(MappedFile&&) noexcept = default;
  // Whether a reader wants a file that begins with these bytes.
  using Wanted = bool (*)(std::string_view first);

  // kSystem: the file cannot be opened. kUsage: it is a folder, a device or a
  // socket. If the first bytes of a pipe are not `wanted`, only they are read.
  static Result<MappedFile> Open(const std::filesystem::path& path,
                                 Wanted wanted = nullptr);

  std::string_view bytes() const;
  // Whether a part could not be read, and is zeros in bytes().
  bool is_incomplete() const;
  // In order of their offset.
  const std::vector<FileHole>& holes() const { return holes_; }
  // Tells the kernel that this part of bytes() will not be read again.
  void Forget(std::string_view part) const;

 private:
  MappedFile() = default;

  std::shared_ptr<MappedPages> pages_;  // null: the bytes are `owned_`
  std::vector<FileHole> holes_;
  std::string owned_;
};

// Time of the last change of a file in seconds since 1970; 0: unknown.
std::uint64_t ModificationTime(const std::filesystem::path& path);

// The paths in a folder, by name; as far as it can be read.
std::vector<std::filesystem::path> PathsIn(const std::filesystem::path& folder);

// The text of a file of at most kMostText bytes; kCorrupt: it is longer.
inline constexpr std::size_t kMostText = std::size_t{1} << 30;
Result<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace rangefinder
