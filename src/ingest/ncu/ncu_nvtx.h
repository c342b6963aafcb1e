// The NVTX state of a `.ncu-rep` result: which ranges were open at its launch.

#pragma once

#include <string_view>

#include "profile/profile.h"

namespace rangefinder {

// Names and payloads go to `strings`. Throws protozero::exception on malformed
// input.
NvtxState DecodeNvtxState(std::string_view message, StringPool& strings);

}  // namespace rangefinder
