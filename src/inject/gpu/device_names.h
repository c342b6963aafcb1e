// What the GPUs are called, from the driver that the program has loaded.

#pragma once

namespace rangefinder::inject {

// Writes each device's name and compute capability into the trace, once. Not
// from inside cuInit(): the driver answers only after it.
void WriteDeviceNames();

}  // namespace rangefinder::inject
