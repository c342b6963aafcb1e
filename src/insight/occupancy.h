// How many blocks of a kernel an SM holds at once.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profile/profile.h"

namespace rangefinder {

// The number of blocks of a kernel that an SM holds at once, and the resource
// that limits it.
struct ResidentBlocks {
  std::uint64_t blocks = 0;
  std::string_view limiter{};  // "shared memory", "registers" ...
  double warp_slots_of_one =
      0;  // the share of the SM's warp slots that one fills
};

// Nothing if the resources of the launch or the limits of the chip are unknown.
// `major`, `minor`: its compute capability.
std::optional<ResidentBlocks> ResidentBlocksOf(const Measurement& m, int major,
                                               int minor);

}  // namespace rangefinder
