// The provenance of a capture: env.json (machine and tools) and inputs.yaml
// (the program and its arguments, by content).

#pragma once

#include <ctime>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/process.h"
#include "capture/machine.h"
#include "capture/options.h"

namespace rangefinder {

// Keeps only environment variables that change how CUDA programs run.
std::string EnvironmentJson(const CaptureOptions& options,
                            const Machine& machine,
                            const std::filesystem::path& ncu,
                            const std::string& ncu_version);

// `program` is the file that is run. Arguments that are files are listed too:
// for an interpreter, an argument is the real program.
std::string InputsYaml(const CaptureOptions& options,
                       const std::filesystem::path& program);

// The current time, or `time`, in UTC: 2026-11-21T03:00:00Z.
std::string Now();
std::string TimeText(std::time_t time);

}  // namespace rangefinder
