// `diff` and `compare` as they are typed.

#pragma once

#include "app/commands.h"
#include "base/error.h"

namespace rangefinder {

Status DoDiff(const Invocation& asked);
void DiffOptions(CLI::App& command, CommandLine& line);

Status DoCompare(const Invocation& asked);
void CompareOptions(CLI::App& command, CommandLine& line);

}  // namespace rangefinder
