// The codes that CUPTI's functions return, their meaning, and the remedies.

#pragma once

#include <cstdint>

namespace rangefinder::cupti {

using Code = std::int32_t;
inline constexpr Code kNoFunction = -1;  // ours: this CUPTI lacks the function
inline constexpr Code kSuccess = 0;
inline constexpr Code kOutOfMemory = 8;
inline constexpr Code kMaxLimitReached = 12;
inline constexpr Code kHardwareBusy = 26;
inline constexpr Code kNotSupported = 27;
inline constexpr Code kInsufficientPrivileges = 35;
inline constexpr Code kMultipleSubscribers = 39;

struct Trouble {
  const char* why;  // one clause: "another profiler has the counters"
  const char* fix;
};

// Null: only the name of the code is known.
const Trouble* TroubleOf(Code code);

}  // namespace rangefinder::cupti
