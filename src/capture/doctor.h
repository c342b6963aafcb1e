// Whether this machine can profile, and what to do where it cannot: everything
// that makes a capture fail and can be seen beforehand.

#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/process.h"
#include "capture/rank.h"

namespace rangefinder {

struct Check {
  std::string name{};
  bool ok = false;
  // Without it no kernel can be measured; otherwise it may matter or not.
  bool required = false;
  std::string found{};
  std::string fix{};  // empty where there is nothing to do
};

// Where to look. Tests look elsewhere.
struct DoctorSurroundings {
  std::filesystem::path root = "/";
  std::filesystem::path cwd = ".";
  std::string ncu = "ncu";  // pipeline.ncu.path
  Getenv getenv{};
  // Whether the dynamic linker finds a library.
  std::function<bool(const std::string& library)> can_load{};
  bool is_root = false;
};

// Those of this process.
DoctorSurroundings RealSurroundings();

std::vector<Check> Examine(ProcessRunner& runner,
                           const DoctorSurroundings& where);

// Whether every required check is well.
bool CanProfile(std::span<const Check> checks);

}  // namespace rangefinder
