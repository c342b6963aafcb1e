// One copy, or one set of memory, on the GPU: of traces that have samples of
// the GPU's counters, in which such work shows as well.

#pragma once

#include <cstdint>

namespace rangefinder {

enum class ProcessId : std::uint32_t;
enum class NvtxStateId : std::uint32_t;

struct CopyActivity {
  ProcessId process{};
  std::int32_t device = -1;
  std::uint64_t thread = 0;  // OS id of the thread that asked for it
  NvtxStateId nvtx{};
  std::uint32_t kind = 0;      // CUPTI's copy kind; 0: a set
  std::uint64_t start_ns = 0;  // on the profile's clock
  std::uint64_t end_ns = 0;
  std::uint64_t bytes = 0;
};

}  // namespace rangefinder
