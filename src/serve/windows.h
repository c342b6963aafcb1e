// Windows at intervals: runs this program's `window` for each run in turn, and
// keeps the run directories.

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/process.h"
#include "serve/served.h"

namespace rangefinder {

struct WindowsOptions {
  std::string program{};            // this one
  std::vector<std::string> runs{};  // PIDs, or paths of sockets
  std::string length{};             // of a window, as `window --for` takes it
  double length_s = 0;
  double every_s = 0;
  std::vector<std::string> words{};  // options and overrides for each window
  std::filesystem::path folder{};    // of the run directories
};

// The environment of OpenWindows(); tests replace it.
struct WindowsSurroundings {
  ProcessRunner& runner;
  std::function<void(const std::string& line)> say{};
  // False: interrupted.
  std::function<bool(double seconds)> wait{};
};

// Whether a run of the command line is known to have ended.
bool HasEnded(const std::string& run);

// Runs until an interrupt. A failed window is reported, and tried again at the
// next interval. The caller must have an InterruptGuard.
void OpenWindows(const WindowsOptions& options, Served& served,
                 const WindowsSurroundings& surroundings);

}  // namespace rangefinder
