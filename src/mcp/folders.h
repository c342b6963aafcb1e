// The folders that a server may read: every path of a client is resolved and
// has to lie in one of them.

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
  std::int64_t modified_unix_s = 0;
};

class ServedFolders {
 public:
  // kUsage where one is no folder.
  static Result<ServedFolders> Open(const std::vector<std::string>& folders);

  const std::vector<std::filesystem::path>& all() const { return folders_; }

  // `text` without symbolic links, `.` and `..`: absolute, or below one of the
  // folders. kUsage where nothing of that name lies in a folder, or where a
  // link inside of it leads out of all of them. Whether a path outside exists
  // is not told.
  Result<std::filesystem::path> Find(const std::string& text) const;

  // The captures below the folders, the newest first: paths that `is_run`
  // says yes to, which are not looked into. Links are not followed.
  std::vector<FoundRun> Runs(
      const std::function<bool(const std::filesystem::path&)>& is_run) const;

 private:
  bool Has(const std::filesystem::path& resolved) const;

  std::vector<std::filesystem::path> folders_{};  // resolved
};

}  // namespace rangefinder
