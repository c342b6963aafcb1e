// Files as they are written: beside and renamed, so that after a crash or on a
// full disk there is the old file or the new one, never a part.
//
// What a killed writer leaves beside a file, the next writer of it clears away:
// a part is locked while somebody writes it.

#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// Puts a file's bytes into the stream; they need never be in memory as a whole.
using FileContent = std::function<void(std::ostream&)>;

// Replaces whatever `path` is, also a symbolic link.
Status WriteFile(const std::filesystem::path& path, std::string_view bytes);
Status WriteFileBy(const std::filesystem::path& path, const FileContent& write);

// The same of a file of a run directory, `below` being its path in `root`; its
// folders are made where they are missing. A run directory may come from
// anywhere: none of these folders may be a symbolic link (kSystem).
Status WriteBelow(const std::filesystem::path& root,
                  const std::filesystem::path& below, std::string_view bytes);
Status WriteBelowBy(const std::filesystem::path& root,
                    const std::filesystem::path& below,
                    const FileContent& write);
Status MakeFolderBelow(const std::filesystem::path& root,
                       const std::filesystem::path& below);

// The file that a user named for a result. What a symbolic link leads to is
// that file. Pipes and character devices are written to; what is neither of
// them nor a regular file is refused (kUsage).
Status WriteOutput(const std::filesystem::path& path, std::string_view bytes);

// Removes the parts in `folder` that nobody writes any more.
void ClearParts(const std::filesystem::path& folder);
// Whether `name` is that of a part of a file, and of which one.
bool IsPartOf(std::string_view name, std::string_view file);

// mkdir -p, with errno's words.
Status MakeDirectories(const std::filesystem::path& path);

}  // namespace rangefinder
