// Work on all processors; the result does not depend on their number.

#pragma once

#include <cstddef>
#include <functional>

namespace rangefinder {

// Calls `work(i, thread)` once for each `i` below `count`, in no order, and
// returns when all calls have ended. `thread` is the number of the calling
// thread, below MostThreads(count); 0 is the caller itself. If the system
// refuses threads, fewer do the work. An exception of a call is rethrown after
// the other threads have ended; its thread makes no further call.
void InParallel(std::size_t count,
                const std::function<void(std::size_t, std::size_t)>& work);

// The number of threads that InParallel() uses for `count` calls: at most the
// number of processors and at most 16; at least 1.
std::size_t MostThreads(std::size_t count);

}  // namespace rangefinder
