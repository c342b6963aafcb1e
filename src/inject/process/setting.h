// The settings of the library: those that the open window of an armed process
// came with, else the environment's.

#pragma once

#include <cstddef>

namespace rangefinder::inject {

// Null: neither has it. Valid until the window ends.
const char* Setting(const char* name);

// The settings of a window: `size` bytes of "NAME=value", each with a zero at
// its end. They are kept by the caller. Only the thread that opens windows
// calls this, and reads settings afterwards.
void UseSettings(const char* text, std::size_t size);

}  // namespace rangefinder::inject
