// Counts the instances of one region of an armed process, so that a window
// opens after some of them, or ends after some of them.

#pragma once

#include <atomic>
#include <cstdint>

#include "inject/trace/thread_log.h"

namespace rangefinder::inject {

extern std::atomic<bool> region_is_watched;
inline bool RegionIsWatched() {
  return region_is_watched.load(std::memory_order_relaxed);
}

// Counts, from here on, the ends of the region in `wanted` = "REGION:N": N
// instances of push/pop ranges whose path ends with the names of REGION,
// separated by slashes. Null: success; else the reason of the failure.
const char* WatchRegion(const char* wanted);
bool WatchedRegionIsOver();
void StopWatching();

// The thread's topmost range of the domain is about to end.
void WatchPop(const ThreadLog& log, std::uint32_t domain);

// The program calls cudaProfilerStart or -Stop, which count as instances of
// regions of these names.
void WatchProfilerCall(bool stops);

}  // namespace rangefinder::inject
