// Checks whether this machine can profile, and how to fix it: all causes of
// failed captures that can be detected before.

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
  bool required = false;  // no kernel can be measured without it
  std::string found{};
  std::string fix{};  // empty: no action is needed
};

// The places to check, which tests replace.
struct DoctorSurroundings {
  std::filesystem::path root = "/";
  std::filesystem::path cwd = ".";
  std::string ncu = "ncu";  // pipeline.ncu.path
  Getenv getenv{};
  // Whether the dynamic linker finds a library.
  std::function<bool(const std::string& library)> can_load{};
  bool is_root = false;
};

// The surroundings of this process.
DoctorSurroundings RealSurroundings();

// Processes below `root`/proc that may hold the counters of a GPU, and how to
// handle them.
Check CheckOtherProfilers(const std::filesystem::path& root);

std::vector<Check> Examine(ProcessRunner& runner,
                           const DoctorSurroundings& where);

// Whether every required check is ok.
bool CanProfile(std::span<const Check> checks);

}  // namespace rangefinder
