// The settings of the library: those of the open window in an armed process,
// else the variables of the environment.
//
// An armed process copies its environment at the first call of the library:
// during a window, getenv() could meet a setenv() of the program.

#pragma once

#include <cstddef>

namespace rangefinder::inject {

// Null: neither the window nor the environment has it. Valid until the window
// ends.
const char* Setting(const char* name);

// From now on, Setting() reads a copy of the present environment.
void KeepEnvironment();

// The settings of a window, for the calling thread alone, which opens it:
// `size` bytes of "NAME=value", each with a zero at its end. The caller keeps
// them.
void UseSettings(const char* text, std::size_t size);

}  // namespace rangefinder::inject
