// What all calls of CUPTI's profilers have in common: records that say their
// own size, and memory that is not the program's heap.

#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include "inject/counter_abi.h"

namespace rangefinder::inject {

template <typename Params>
Params Make() {
  Params params{};
  params.size = cupti::kSizeOf<Params>;
  return params;
}

// Zeroed pages; null where there are none.
inline std::uint8_t* Map(std::size_t size) {
  void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at != MAP_FAILED ? static_cast<std::uint8_t*>(at) : nullptr;
}

}  // namespace rangefinder::inject
