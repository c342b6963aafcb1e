// Files as they are read: mapped.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file_mapping.h"

namespace rangefinder {

// A file's bytes, mapped read-only for as long as this lives; they stay
// readable whatever becomes of the file. Movable. What comes through a pipe
// (a named one, /dev/stdin) is read into memory instead.
class MappedFile {
 public:
  // Whether bytes that begin so are wanted at all.
  using Wanted = bool (*)(std::string_view first);

  // kSystem with errno's words when it cannot be opened, kUsage for what is no
  // file: a folder, a device, a socket. Of a pipe whose first bytes are not
  // `wanted`, only those are read.
  static Result<MappedFile> Open(const std::filesystem::path& path,
                                 Wanted wanted = nullptr);

  std::string_view bytes() const {
    return mapping_ ? mapping_->bytes() : std::string_view(owned_);
  }

  // Whether a part could not be read, since the file was cut short or the disk
  // fails; it is zeros in bytes().
  bool is_incomplete() const { return mapping_ && mapping_->is_incomplete(); }

  // Large parts that are zeros without being looked at, in order.
  const std::vector<FileHole>& holes() const { return holes_; }

  // Tells the kernel that [offset, offset + length) will not be read again.
  void Forget(std::size_t offset, std::size_t length) const {
    if (mapping_) mapping_->Forget(offset, length);
  }

 private:
  MappedFile() = default;

  std::optional<FileMapping> mapping_;
  std::vector<FileHole> holes_;
  std::string owned_;
};

// A file of text, which is of kMostText bytes at most: kCorrupt where it is
// longer.
inline constexpr std::size_t kMostText = std::size_t{1} << 30;
Result<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace rangefinder
