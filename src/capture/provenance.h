// What a capture was made of and on: env.json (the machine and the tools) and
// inputs.yaml (the program and its arguments, by content).

#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/process.h"
#include "capture/machine.h"
#include "capture/options.h"

namespace rangefinder {

// Of the environment, only what changes how CUDA programs run is kept.
std::string EnvironmentJson(const CaptureOptions& options,
                            const Machine& machine,
                            const std::filesystem::path& ncu,
                            const std::string& ncu_version);

// `program` is the file that is run. Arguments that are files are listed too:
// of an interpreter's program they are the program.
std::string InputsYaml(const CaptureOptions& options,
                       const std::filesystem::path& program);

// The time now, in UTC: 2026-11-21T03:00:00Z.
std::string Now();

}  // namespace rangefinder
