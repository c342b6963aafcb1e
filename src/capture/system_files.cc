#include "capture/system_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// Numbers compare as numbers: 2025.10 is newer than 2025.9.
std::vector<int> VersionOf(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    int number = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      number = std::min(number * 10 + (text[i] - '0'), 100'000'000);
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::string SystemText(const fs::path& path) {
  std::string text;
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return text;
  std::array<char, 4096> buffer;
  while (const std::size_t n =
             std::fread(buffer.data(), 1, buffer.size(), file)) {
    text.append(buffer.data(), n);
  }
  std::fclose(file);
  return text;
}

std::string SystemValue(std::string_view text, std::string_view key,
                        char separator) {
  for (const std::string& line : Split(text, '\n')) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos || Trim(line.substr(0, at)) != key) continue;
    std::string value(Trim(std::string_view(line).substr(at + 1)));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return "";
}

std::optional<fs::path> NewestBelow(const fs::path& folder,
                                    std::string_view prefix,
                                    const fs::path& below) {
  std::optional<fs::path> best;
  std::vector<int> best_version;
  std::error_code error;
  for (fs::directory_iterator it(folder, error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    const fs::path candidate = it->path() / below;
    std::error_code absent;
    if (!name.starts_with(prefix) || !fs::is_regular_file(candidate, absent))
      continue;
    std::vector<int> version = VersionOf(name);
    if (best && version <= best_version) continue;
    best = candidate;
    best_version = std::move(version);
  }
  return best;
}

std::vector<RunningProcess> RunningProcesses(const fs::path& root) {
  std::vector<RunningProcess> processes;
  std::error_code error;
  for (fs::directory_iterator it(root / "proc", error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string id = it->path().filename().string();
    int number = 0;
    const auto [end, bad] =
        std::from_chars(id.data(), id.data() + id.size(), number);
    if (bad != std::errc() || end != id.data() + id.size()) continue;
    const std::string name(Trim(SystemText(it->path() / "comm")));
    if (!name.empty()) processes.push_back({number, name});
  }
  std::ranges::sort(processes, {}, &RunningProcess::id);
  return processes;
}

std::optional<fs::path> FindCupti(const fs::path& root) {
  std::error_code error;
  for (const char* folder :
       {"extras/CUPTI/lib64", "targets/x86_64-linux/lib", "lib64"}) {
    const fs::path below = fs::path(folder) / "libcupti.so";
    const fs::path usual = root / "usr/local/cuda" / below;
    if (fs::exists(usual, error)) return usual;
    if (const auto found = NewestBelow(root / "usr/local", "cuda-", below))
      return found;
  }
  return std::nullopt;
}

}  // namespace rangefinder
