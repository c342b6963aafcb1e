// A file's bytes, mapped, that can be read whatever becomes of the file.
//
// Where the kernel cannot bring a page (the file was cut short, a hole on a
// full tmpfs, a disk that fails) it sends SIGBUS, which ends a program. Here
// the page is then read into memory instead, and is zeros where that fails.

#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace rangefinder {

class FileMapping {
 public:
  // The first `about.st_size` bytes of the regular file `fd`, which is `path`
  // and may be closed then. Nothing: errno says why.
  static std::optional<FileMapping> Of(int fd,
                                       const std::filesystem::path& path,
                                       const struct stat& about);
  FileMapping(FileMapping&&) noexcept = default;
  FileMapping& operator=(FileMapping&&) noexcept = default;

  std::string_view bytes() const { return {pages_->begin, pages_->size}; }

  // Whether a part could not be read; it is zeros in bytes().
  bool is_incomplete() const {
    return pages_->incomplete.load(std::memory_order_relaxed);
  }

  // Tells the kernel that [offset, offset + length) will not be read again.
  void Forget(std::size_t offset, std::size_t length) const;

 private:
  // The address stays, for the signal handler.
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

// The holes of at least a mebibyte in the regular file `fd`, as offset and
// length: zeros that need not be looked at.
struct FileHole {
  std::size_t offset = 0;
  std::size_t length = 0;
};
std::vector<FileHole> HolesOf(int fd, const struct stat& about);

}  // namespace rangefinder
