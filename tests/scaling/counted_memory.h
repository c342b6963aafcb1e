// Measures the peak memory of a piece of work by counting C++ allocations.

#pragma once

#include <cstdint>

namespace rangefinder::testing {

// Bytes allocated now.
std::int64_t LiveBytes();
// The peak since the last call of this function.
std::int64_t TakePeakBytes();

}  // namespace rangefinder::testing
