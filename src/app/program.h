// Which program a command runs, and where.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

struct ProgramToStart {
  std::vector<std::string> argv{};
  std::filesystem::path cwd{};  // empty: ours
};

// Whether it is the bundled program that is to be run.
bool RunsBundled(const std::vector<std::string>& program,
                 const Settings& settings);

// What is to be profiled: `program`, else pipeline.workload, else the bundled
// program (app/bundled_program.h). kUsage where `device` is given to a program
// that does not take it.
Result<ProgramToStart> ProgramToRun(const std::vector<std::string>& program,
                                    const Settings& settings);

}  // namespace rangefinder
