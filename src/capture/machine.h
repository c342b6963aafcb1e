// The machine of a capture: host, GPUs, driver, and the installed tools, for
// provenance and for the doctor. Unknown facts are empty.
//
// Functions with a `root` read below it, so that tests can use a folder.

#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process.h"

namespace rangefinder {

struct Gpu {
  std::string index{};
  std::string name{};
  std::string uuid{};
  std::string memory{};
  std::string compute{};  // compute capability: "9.0"
  std::string mig{};      // "Enabled" "Disabled" "[N/A]"
};

struct Machine {
  std::string host{};
  std::string system{};  // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel{};
  std::string cpu{};
  unsigned cores = 0;
  std::string driver{};  // version; empty: none is loaded
  std::vector<Gpu> gpus{};
};

Machine ProbeMachine(ProcessRunner& runner,
                     const std::filesystem::path& root = "/");

// A folder in which NVIDIA installs a tool: the newest `folder/NAME/below`
// whose NAME begins with `prefix`; numbers in names compare as numbers.
struct InstallFolder {
  std::filesystem::path folder{};
  std::string_view prefix{};
  std::filesystem::path below{};
};

// The program `name`: a file, or a program in PATH; `tool` is also searched in
// root/usr/local/cuda/bin, then in the folders below `root`.
std::optional<std::filesystem::path> FindNvidiaTool(
    ProcessRunner& runner, const std::string& name, std::string_view tool,
    const std::filesystem::path& root,
    std::initializer_list<InstallFolder> folders);

// The program `name`: a file, or a program in PATH; "ncu" is also searched
// where NVIDIA installs it, the newest version first. kProfiler if there is
// none.
Result<std::filesystem::path> FindNcu(ProcessRunner& runner,
                                      const std::string& name,
                                      const std::filesystem::path& root = "/");

// "2025.3.1.0": the version that ncu prints.
Result<std::string> NcuVersion(ProcessRunner& runner,
                               const std::filesystem::path& ncu);

// ---- Files of the system ---------------------------------------------------

// A file's text, or nothing. Files of /proc have size 0 and are still read to
// the end.
std::string SystemText(const std::filesystem::path& path);

// The value of the first line `key SEPARATOR value` of `text`, without
// surrounding blanks and quotes.
std::string SystemValue(std::string_view text, std::string_view key,
                        char separator);

}  // namespace rangefinder
