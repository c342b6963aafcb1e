// How much memory a piece of work takes at most, counted where C++ asks for it.

#pragma once

#include <cstdint>

namespace rangefinder::testing {

// Bytes that are allocated now.
std::int64_t LiveBytes();
// The most that were, since the last call of this.
std::int64_t TakePeakBytes();

}  // namespace rangefinder::testing
