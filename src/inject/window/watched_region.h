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

// Counts from here on the ends of `wanted` = "REGION:N": N instances of the
// push/pop ranges at the end of whose path, from the outermost range on, stand
// the names of REGION, with slashes between them. Null: it does; else the
// reason why it cannot.
const char* WatchRegion(const char* wanted);
bool WatchedRegionIsOver();
void StopWatching();

// The thread's topmost range of the domain is about to end.
void WatchPop(const ThreadLog& log, std::uint32_t domain);

// The program calls cudaProfilerStart or -Stop, which count as instances of
// regions of these names.
void WatchProfilerCall(bool stops);

}  // namespace rangefinder::inject
