// Files: mapped for reading, written beside and renamed, never half there.

#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Writes `bytes` to a temporary file beside `path` and renames it: after a
// crash or on a full disk there is the old file or the new one, never a part.
Status WriteFile(const std::filesystem::path& path, std::string_view bytes);

// The same of what `write` puts into the stream, which need never be in memory
// as a whole.
Status WriteFileBy(const std::filesystem::path& path,
                   const std::function<void(std::ostream&)>& write);

// mkdir -p, with errno's words.
Status MakeDirectories(const std::filesystem::path& path);

}  // namespace rangefinder
