// The settings of the library: those that the open window of an armed process
// came with, else the environment's.

#pragma once

#include <cstddef>

namespace rangefinder::inject {

// Null: neither has it. Valid until the window ends.
const char* Setting(const char* name);

// The settings of a window, for the calling thread alone, which opens it:
// `size` bytes of "NAME=value", each with a zero at its end. The caller keeps
// them.
void UseSettings(const char* text, std::size_t size);

}  // namespace rangefinder::inject
