#include "mcp/folders.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 100'000;  // of one walk
constexpr int kDeepestFolder = 8;              // folders below a served one
constexpr std::size_t kLongestPath = 4096;

Error NotServed(const std::string& text) {
  return Error(ErrorCode::kUsage,
               fmt::format("{}: no such run in the folders that are served; "
                           "list_runs has all",
                           Printable(Ellipsize(text, 200))));
}

}  // namespace

Result<ServedFolders> ServedFolders::Open(
    const std::vector<std::string>& folders) {
  ServedFolders served;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path path = fs::canonical(folder, error);
    if (error || !fs::is_directory(path, error))
      return Error(ErrorCode::kUsage, Printable(folder) + ": is no folder");
    served.folders_.push_back(path);
  }
  return served;
}

bool ServedFolders::Has(const fs::path& resolved) const {
  return std::ranges::any_of(folders_, [&](const fs::path& folder) {
    return std::ranges::mismatch(folder, resolved).in1 == folder.end();
  });
}

Result<fs::path> ServedFolders::Find(const std::string& text) const {
  if (text.empty() || text.size() > kLongestPath ||
      text.find('\0') != std::string::npos)
    return NotServed(text);
  std::error_code error;
  for (const fs::path& folder : folders_) {
    const fs::path path = fs::canonical(folder / text, error);
    if (error || !Has(path)) continue;
    if (!fs::is_directory(path, error)) return path;
    std::size_t entries = 0;
    for (fs::recursive_directory_iterator it(path, error);
         !error && it != fs::recursive_directory_iterator();
         it.increment(error)) {
      if (++entries > kMostEntries)
        return Error(ErrorCode::kUsage,
                     Printable(text) + ": has too many files to be one run");
      if (!it->is_symlink(error)) continue;
      const fs::path target = fs::canonical(it->path(), error);
      if (!error && !Has(target))
        return Error(ErrorCode::kUsage,
                     fmt::format("{}: its link {} leads out of the folders "
                                 "that are served",
                                 Printable(text),
                                 Printable(it->path().filename().string())));
      error.clear();
    }
    return path;
  }
  return NotServed(text);
}

std::vector<FoundRun> ServedFolders::Runs(
    const std::function<bool(const fs::path&)>& is_run) const {
  std::vector<FoundRun> runs;
  const auto add = [&](const fs::path& path) {
    std::error_code error;
    runs.push_back({.path = path,
                    .is_folder = fs::is_directory(path, error),
                    .modified_unix_s = ModificationTime(path)});
  };
  for (const fs::path& folder : folders_) {
    if (is_run(folder)) {
      add(folder);
      continue;
    }
    std::error_code error;
    std::size_t entries = 0;
    constexpr auto kSkip = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(folder, kSkip, error);
         !error && it != fs::recursive_directory_iterator() &&
         ++entries <= kMostEntries;
         it.increment(error)) {
      std::error_code of_entry;
      if (it->is_symlink(of_entry)) continue;
      const bool found = is_run(it->path());
      if (found) add(it->path());
      if (found || it.depth() >= kDeepestFolder) it.disable_recursion_pending();
    }
  }
  std::ranges::sort(runs, [](const FoundRun& a, const FoundRun& b) {
    if (a.modified_unix_s != b.modified_unix_s)
      return a.modified_unix_s > b.modified_unix_s;
    return a.path < b.path;
  });
  const auto same = std::ranges::unique(runs, {}, &FoundRun::path);
  runs.erase(same.begin(), same.end());
  return runs;
}

}  // namespace rangefinder
