// The folders that a server may read: every path of a client is resolved and
// must lie in one of them.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace rangefinder {

struct FoundRun {
  std::filesystem::path path{};
  bool is_folder = false;
  std::uint64_t modified_unix_s = 0;
};

class ServedFolders {
 public:
  // kUsage: one of them is no folder.
  static Result<ServedFolders> Open(const std::vector<std::string>& folders);

  const std::vector<std::filesystem::path>& all() const { return folders_; }

  // `text` without symbolic links, `.` and `..`: absolute, or below one of the
  // folders. kUsage: no folder contains such a name, or a link inside a folder
  // leads out of all folders. The answer does not reveal whether a path outside
  // exists.
  Result<std::filesystem::path> Find(const std::string& text) const;

  // The captures below the folders, the newest first: paths that `is_run`
  // accepts. Their contents are not searched, and links are not followed.
  std::vector<FoundRun> Runs(
      const std::function<bool(const std::filesystem::path&)>& is_run) const;

 private:
  bool Has(const std::filesystem::path& resolved) const;

  std::vector<std::filesystem::path> folders_{};  // resolved
};

}  // namespace rangefinder
