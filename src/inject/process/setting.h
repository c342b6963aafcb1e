// The settings of the library: those that the open window of an armed process
// came with, else the environment's.
//
// An armed process reads its environment once, where it is called first: in a
// window getenv() could meet a setenv() of the program.

#pragma once

#include <cstddef>

namespace rangefinder::inject {

// Null: the variable is set in neither. Valid until the window ends.
const char* Setting(const char* name);

// From now on, Setting() reads a copy of the present environment.
void KeepEnvironment();

// The settings of a window, for the calling thread alone, which opens it:
// `size` bytes of "NAME=value", each with a zero at its end. The caller keeps
// them.
void UseSettings(const char* text, std::size_t size);

}  // namespace rangefinder::inject
