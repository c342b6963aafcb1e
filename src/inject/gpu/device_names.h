// The names of the GPUs, from the driver that the program has loaded.

#pragma once

namespace rangefinder::inject {

// Writes the name and compute capability of each device into the trace, once.
// Not to be called inside cuInit(): the driver answers only afterwards.
void WriteDeviceNames();

}  // namespace rangefinder::inject
