// The machine a capture is made on: host, GPUs, driver, and the installed ncu.
// For provenance and for the doctor; whatever cannot be found out is empty.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
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

// `root` is "/" but in tests.
Machine ProbeMachine(ProcessRunner& runner,
                     const std::filesystem::path& root = "/");

// The program that `name` means: a file where it is a path, else one in PATH.
std::optional<std::filesystem::path> FindTool(ProcessRunner& runner,
                                              const std::string& name);

// The ncu that `name` means: a file, or a program in PATH; "ncu" is also looked
// for where NVIDIA installs it, the newest first. kProfiler when there is none.
Result<std::filesystem::path> FindNcu(ProcessRunner& runner,
                                      const std::string& name,
                                      const std::filesystem::path& root = "/");

// "2025.3.1.0", asked of ncu itself.
Result<std::string> NcuVersion(ProcessRunner& runner,
                               const std::filesystem::path& ncu);

}  // namespace rangefinder
