// The provenance of a capture: env.json (machine and tools) and inputs.yaml
// (the program and its arguments, by content).

#pragma once

#include <ctime>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/process.h"
#include "capture/options.h"

namespace rangefinder {

// Writes env.json, inputs.yaml and the configuration into the run directory.
// `program`: the started file. `ncu`, `ncu_version`: empty without ncu.
Status WriteProvenance(const CaptureOptions& options,
                       const std::filesystem::path& program,
                       const std::filesystem::path& ncu,
                       const std::string& ncu_version, ProcessRunner& runner);

// The current time, or `time`, in UTC: 2026-11-21T03:00:00Z.
std::string Now();
std::string TimeText(std::time_t time);

}  // namespace rangefinder
