// What the system says about itself in /proc, /etc and the usual folders, below
// a root that tests can put elsewhere.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rangefinder {

// A file's text, or nothing. Files of /proc say that they are empty, and are
// read as what they are all the same.
std::string SystemText(const std::filesystem::path& path);

// The value of the first line `key SEPARATOR value` of `text`, without blanks
// and quotes around it.
std::string SystemValue(std::string_view text, std::string_view key,
                        char separator);

struct RunningProcess {
  int id = 0;
  std::string name{};  // as the kernel has it, at most 15 characters
};
std::vector<RunningProcess> RunningProcesses(const std::filesystem::path& root);

// The newest `folder/NAME/below` whose NAME begins with `prefix`; numbers in
// the names compare as numbers.
std::optional<std::filesystem::path> NewestBelow(
    const std::filesystem::path& folder, std::string_view prefix,
    const std::filesystem::path& below);

// The CUPTI of an installed CUDA toolkit.
std::optional<std::filesystem::path> FindCupti(
    const std::filesystem::path& root);

}  // namespace rangefinder
