// Files as they are read: mapped.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// A file's bytes, mapped read-only for as long as this lives. Movable. What is
// not a regular file (a pipe, /dev/stdin) is read into memory instead.
class MappedFile {
 public:
  // kSystem with errno's words when it cannot be opened, kUsage for a folder.
  static Result<MappedFile> Open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

  // Tells the kernel that [offset, offset + length) will not be read again.
  void Forget(std::size_t offset, std::size_t length) const;

 private:
  MappedFile() = default;

  std::string_view bytes_;
  bool mapped_ = false;
  std::string owned_;
};

Result<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace rangefinder
