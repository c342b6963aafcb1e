// The command line: which command, with which overrides.

#pragma once

namespace rangefinder {

// Runs the program; the process's exit status (docs/errors.md).
int Main(int argc, char** argv);

}  // namespace rangefinder
